/**
 * Triggers of the platform "template": a template becomes true.
 */
import { Schema } from "effect"
import type { JsonObject, StateChange } from "../../../protocols/domain/home.ts"
import type { After } from "../server/after.ts"
import { templateProblem } from "../template/render.ts"
import { type Renderer, watchTemplate } from "../template/rendering.ts"
import { periodMs } from "./time-period.ts"
import { firedText, Period, shownPeriod, triggerFields } from "./trigger-common.ts"

export const TemplateTrigger = Schema.Struct({
  platform: Schema.Literal("template"),
  value_template: Schema.String.check(Schema.makeFilter((source) => {
    const problem = templateProblem(source)
    return problem === null || `a template (${problem})`
  })),
  for: Schema.optionalKey(Period),
  ...triggerFields,
})
export type TemplateTrigger = typeof TemplateTrigger.Type

const trueTexts: ReadonlySet<string> = new Set(["true", "yes", "on", "enable", "1"])

/** Whether a rendered text means true; a number other than 0 does. */
const isTrueText = (text: string): boolean =>
  trueTexts.has(text.toLowerCase()) || (text !== "" && Number.isFinite(Number(text)) && Number(text) !== 0)

/** Fires each time the template becomes true. Returns a function that ends it. */
export const watchTemplateTrigger = (
  trigger: TemplateTrigger,
  index: number,
  { after, renderer, send, variables }: {
    readonly after: After
    readonly renderer: Renderer
    readonly variables: JsonObject
    readonly send: (text: string) => void
  },
): () => void => {
  const ms = periodMs(trigger.for ?? 0)!
  /** Null before the first rendering, which never fires. */
  let wasTrue: boolean | null = null
  let stopHolding = () => {}

  const fire = (change: StateChange | null) => {
    const entityId = change?.entityId ?? null
    const about = {
      platform: "template",
      entity_id: entityId,
      for: shownPeriod(ms),
      description: entityId === null ? "time change or manual update via template" : `${entityId} via template`,
    }
    send(firedText(trigger, index, about, change, change?.context ?? null))
  }
  const order = { source: trigger.value_template, variables, strict: false }
  const end = watchTemplate(renderer, order, after, (rendering, change) => {
    const isTrue = rendering._tag === "Rendered" && isTrueText(rendering.text)
    if (!isTrue) stopHolding()
    if (isTrue && wasTrue === false) {
      if (ms === 0) fire(change)
      else stopHolding = after(ms, () => fire(change))
    }
    wasTrue = isTrue
  })
  return () => {
    end()
    stopHolding()
  }
}
