/**
 * Triggers of the platform "time_pattern": times whose hour, minute and second fit. `*` is every value, `/5` every fifth. A unit that is not
 * given is every value if a larger one is given, else 0. The time zone of the home is UTC.
 */
import { Schema } from "effect"
import { homeTime } from "../../../protocols/domain/home.ts"
import type { After } from "../server/after.ts"
import { firedText, triggerFields } from "./trigger-common.ts"

const limits = { hours: 24, minutes: 60, seconds: 60 } as const
type Unit = keyof typeof limits

/** Whether a value fits a part of a pattern; null if the part is invalid. */
const predicateOf = (unit: Unit, given: string | number): ((value: number) => boolean) | null => {
  const text = String(given).trim()
  if (text === "*") return () => true
  const [, slash, digits] = /^(\/)?(\d{1,2})$/.exec(text) ?? []
  const number = Number(digits)
  if (digits === undefined || number >= limits[unit] || (slash !== undefined && number === 0)) return null
  return slash === undefined ? (value) => value === number : (value) => value % number === 0
}

const Part = (unit: Unit) =>
  Schema.optionalKey(
    Schema.Union([Schema.String, Schema.Finite]).check(
      Schema.makeFilter((given) =>
        predicateOf(unit, given) !== null || `a time pattern below ${limits[unit]}, such as 5, /5 or *`
      ),
    ),
  )

export const TimePatternTrigger = Schema.Struct({
  platform: Schema.Literal("time_pattern"),
  hours: Part("hours"),
  minutes: Part("minutes"),
  seconds: Part("seconds"),
  ...triggerFields,
}).check(
  Schema.makeFilter(({ hours, minutes, seconds }) =>
    [hours, minutes, seconds].some((part) => part !== undefined) || "at least one of hours, minutes, seconds"
  ),
)
export type TimePatternTrigger = typeof TimePatternTrigger.Type

/** The next time after `nowMs` that fits, in ms since the Unix epoch. Every pattern fits at least once a day. */
export const nextFit = ({ hours, minutes, seconds }: TimePatternTrigger, nowMs: number): number => {
  const given = {
    hours: hours ?? "*",
    minutes: minutes ?? (hours === undefined ? "*" : 0),
    seconds: seconds ?? 0,
  }
  const [hour, minute, second] = (["hours", "minutes", "seconds"] as const).map((unit) =>
    predicateOf(unit, given[unit])!
  )
  let ms = Math.floor(nowMs / 1_000) * 1_000 + 1_000
  // Larger units are skipped whole, so this loop runs about 150 times at most.
  while (true) {
    const time = new Date(ms)
    if (!hour!(time.getUTCHours())) ms = Math.floor(ms / 3_600_000) * 3_600_000 + 3_600_000
    else if (!minute!(time.getUTCMinutes())) ms = Math.floor(ms / 60_000) * 60_000 + 60_000
    else if (!second!(time.getUTCSeconds())) ms += 1_000
    else return ms
  }
}

/** Fires at every time that fits. Returns a function that ends it. */
export const watchTimePattern = (
  trigger: TimePatternTrigger,
  index: number,
  { after, nowMs, send }: {
    readonly after: After
    readonly nowMs: () => number
    readonly send: (text: string) => void
  },
): () => void => {
  let stop = () => {}
  const wait = (lastMs: number) => {
    const next = nextFit(trigger, Math.max(lastMs, nowMs()))
    stop = after(Math.max(0, next - nowMs()), () => {
      const now = homeTime(nowMs() * 1_000)
      send(firedText(trigger, index, { platform: "time_pattern", now, description: "time pattern" }, null, null))
      wait(next)
    })
  }
  wait(nowMs())
  return () => stop()
}
