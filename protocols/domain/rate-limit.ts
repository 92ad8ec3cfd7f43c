/**
 * Rate limits: the rules, the rule of each request, and the windows.
 *
 * Windows are fixed (whole multiples since the Unix epoch), so all nodes agree on them without communication. A caller that
 * uses up the end of one window and the start of the next sends twice the limit in succession, and
 * never more.
 *
 * Probes and scrapes have a rule of each node, because their number grows with the nodes and the monitors: a limit for all nodes together
 * would end the monitoring of a large cluster.
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
  "monitoring",
] as const
export type Category = typeof categories[number]

/**
 * A rule by name: that of a category, or `rest`, which counts all authenticated requests of the bare form, or `console`, which counts those of
 * the web console instead, so that an open page does not use up the requests of its account.
 */
export const ruleNames = ["rest", "console", ...categories] as const
export type RuleName = typeof ruleNames[number]

/** At most `limit` requests in each window of `windowS` seconds. */
export interface Rule {
  readonly limit: number
  readonly windowS: number
}

/** Whether each node counts by itself; the others are counted for all nodes together. */
export const isCountedPerNode = (name: RuleName): boolean => name === "monitoring"

export type Rules = Readonly<Record<RuleName, Rule>>

const hourS = 3_600

/** The limits of the specification, and those of the console and of probes and scrapes. */
export const defaultRules: Rules = {
  rest: { limit: 1_000, windowS: hourS },
  console: { limit: 10_000, windowS: hourS },
  authentication: { limit: 10, windowS: 60 },
  "pose-data": { limit: 1_000, windowS: hourS },
  "pose-processing": { limit: 100, windowS: hourS },
  configuration: { limit: 50, windowS: hourS },
  analytics: { limit: 500, windowS: hourS },
  health: { limit: 10_000, windowS: hourS },
  monitoring: { limit: 100, windowS: 1 },
}

/**
 * The rule of an authenticated request. An unauthenticated one is counted by its category in both forms (`ruleOfUnknown`).
 *
 * @param ofConsole whether a page of the web console sent it
 */
export const ruleOfCaller = (form: "bare" | "envelope", category: Category, ofConsole = false): RuleName => {
  if (form === "envelope" || category === "monitoring") return category
  return ofConsole ? "console" : "rest"
}

/** The rule of a request that needs a caller and has none that is known: guesses of keys do not have the limit of scrapes. */
export const ruleOfUnknown = (category: Category): RuleName => category === "monitoring" ? "health" : category

/** Requests for unknown routes are counted in this category. */
export const unroutedCategory: Category = "pose-data"

/** When the window of `nowMs` ends, in epoch milliseconds. */
export const windowEndMs = ({ windowS }: Rule, nowMs: number): number =>
  (Math.floor(nowMs / 1000 / windowS) + 1) * windowS * 1000

/** A limit is used up. `resetMs` is the end of the window, in epoch milliseconds. */
export class RateLimited extends Data.TaggedError("RateLimited")<{
  readonly limit: number
  readonly windowS: number
  readonly resetMs: number
  /** Seconds until a retry is worthwhile; at least 1. */
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
