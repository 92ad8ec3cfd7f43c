/** A finding of the doctor: a check, its verdict, and what to do. */

/**
 * `ok`: as expected. `limit`: frames are made, but with fewer or worse results. `problem`: frames are prevented or wrong.
 * `unknown`: the check failed.
 */
export type Verdict = "ok" | "limit" | "problem" | "unknown"

export interface Finding {
  /** The subject of the check, e.g. `router node-1`. */
  readonly check: string
  readonly verdict: Verdict
  readonly finding: string
  /** What to do; null if nothing. */
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
