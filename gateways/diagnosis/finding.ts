/** Makes findings: a check, its verdict, and what to do. */
import type { Finding } from "../../protocols/pose-api/findings.ts"

const made = (verdict: Finding["verdict"], check: string, finding: string, advice: string | null): Finding => ({
  check,
  verdict,
  finding,
  advice,
  environment_id: null,
  router_id: null,
})

export const ok = (check: string, finding: string): Finding => made("ok", check, finding, null)

export const limit = (check: string, finding: string, advice: string): Finding => made("limit", check, finding, advice)

export const problem = (check: string, finding: string, advice: string): Finding =>
  made("problem", check, finding, advice)

export const unknown = (check: string, finding: string, advice: string): Finding =>
  made("unknown", check, finding, advice)

/** The findings, with what they concern. What they already name stays. */
export const concerning = (
  findings: ReadonlyArray<Finding>,
  environment_id: string,
  router_id: string | null = null,
): ReadonlyArray<Finding> => findings.map((one) => ({ ...one, environment_id, router_id: one.router_id ?? router_id }))
