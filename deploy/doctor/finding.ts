/** What the doctor finds: one check, how it went, and what to do. */

/**
 * `ok`: as it should be. `limit`: frames come, but say less than they could. `problem`: this keeps frames from coming, or makes them
 * wrong. `unknown`: it could not be looked at.
 */
export type Verdict = "ok" | "limit" | "problem" | "unknown"

export interface Finding {
  /** What was looked at, e.g. `router node-1`. */
  readonly check: string
  readonly verdict: Verdict
  readonly finding: string
  /** What to do; null where nothing is to be done. */
  readonly advice: string | null
}

export const ok = (check: string, finding: string): Finding => ({ check, verdict: "ok", finding, advice: null })

export const limit = (check: string, finding: string, advice: string): Finding => ({
  check,
  verdict: "limit",
  finding,
  advice,
})

export const problem = (check: string, finding: string, advice: string): Finding => ({
  check,
  verdict: "problem",
  finding,
  advice,
})

export const unknown = (check: string, finding: string, advice: string): Finding => ({
  check,
  verdict: "unknown",
  finding,
  advice,
})
