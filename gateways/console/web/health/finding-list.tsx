/** Findings with what to do, each marked by a word beside its colour. */
import type { Finding } from "../service/types.ts"

const verdictWords: Readonly<Record<Finding["verdict"], string>> = {
  problem: "Problem",
  limit: "Limit",
  unknown: "Not known",
  ok: "Fine",
}

/** A text with its words between back-ticks as code. */
const coded = (text: string) =>
  text.split("`").map((part, index) => index % 2 === 1 ? <code key={index}>{part}</code> : part)

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** @param setupHref where the room is set up; null: the reader is there, or the findings concern no room */
export const FindingList = ({ findings, label, setupHref = null }: {
  readonly findings: ReadonlyArray<Finding>
  readonly label: string
  readonly setupHref?: string | null
}) =>
  findings.length === 0 ? null : (
    <ul class="findings" aria-label={label}>
      {findings.map(({ advice, check, finding, verdict }) => (
        <li key={`${check} ${finding}`} class={`finding verdict-${verdict}`}>
          <span class="verdict">{verdictWords[verdict]}</span>
          <p>
            <b>{sentence(check)}:</b> {coded(finding)}
            {advice !== null && (
              <span class="advice">
                {coded(advice)} {setupHref !== null && verdict !== "ok" && <a href={setupHref}>Open this room</a>}
              </span>
            )}
          </p>
        </li>
      ))}
    </ul>
  )
