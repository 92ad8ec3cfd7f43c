/**
 * How many requests a caller may send: the rules, which of them a request falls under, and their windows.
 *
 * Windows are fixed and the same for everybody (a whole number of them since the Unix epoch), so that all nodes agree on
 * them without a word. Who uses up the end of one window and the beginning of the next sends twice the limit in a row;
 * never more.
 */
import { Data } from "effect"

/** The category of an endpoint; every endpoint states one. */
export const categories = [
  "authentication",
  "pose-data",
  "pose-processing",
  "configuration",
  "analytics",
  "health",
] as const
export type Category = typeof categories[number]

/** A rule by name: a category's, or `rest`, which all authenticated requests of the bare form fall under. */
export const ruleNames = ["rest", ...categories] as const
export type RuleName = typeof ruleNames[number]

/** At most `limit` requests in each window of `windowS` seconds. */
export interface Rule {
  readonly limit: number
  readonly windowS: number
}

export type Rules = Readonly<Record<RuleName, Rule>>

const hourS = 3_600

/** The limits of the specification. */
export const defaultRules: Rules = {
  rest: { limit: 1_000, windowS: hourS },
  authentication: { limit: 10, windowS: 60 },
  "pose-data": { limit: 1_000, windowS: hourS },
  "pose-processing": { limit: 100, windowS: hourS },
  configuration: { limit: 50, windowS: hourS },
  analytics: { limit: 500, windowS: hourS },
  health: { limit: 10_000, windowS: hourS },
}

/** The rule of an authenticated request; one that is not authenticated falls under its category in both forms. */
export const ruleOfCaller = (form: "bare" | "envelope", category: Category): RuleName =>
  form === "bare" ? "rest" : category

/** Requests for what is not served fall under this category. */
export const unroutedCategory: Category = "pose-data"

/** When the window of `nowMs` ends, in epoch milliseconds. */
export const windowEndMs = ({ windowS }: Rule, nowMs: number): number =>
  (Math.floor(nowMs / 1000 / windowS) + 1) * windowS * 1000

/** A limit is used up. `resetMs` is the end of the window, in epoch milliseconds. */
export class RateLimited extends Data.TaggedError("RateLimited")<{
  readonly limit: number
  readonly windowS: number
  readonly resetMs: number
  /** Seconds after which it is worth trying again; at least 1. */
  readonly retryAfterS: number
  readonly message: string
}> {
  /** A window of a rule is used up at `nowMs`. */
  static ofWindow({ limit, windowS }: Rule, resetMs: number, nowMs: number): RateLimited {
    const retryAfterS = Math.max(1, Math.ceil((resetMs - nowMs) / 1000))
    return new RateLimited({
      limit,
      windowS,
      resetMs,
      retryAfterS,
      message: `The limit of ${limit} requests in ${windowS} seconds is used up. Try again in ${retryAfterS} seconds.`,
    })
  }
}
