import { describe, expect, it } from "vitest"
import { groupsOf, openFindings } from "../../../gateways/console/web/health/findings.ts"
import type { Finding } from "../../../gateways/console/web/service/types.ts"

const finding = (verdict: Finding["verdict"], environment_id: string | null, router_id: string | null): Finding => ({
  check: `${environment_id} ${router_id}`,
  verdict,
  finding: verdict,
  advice: verdict === "ok" ? null : "Do something.",
  environment_id,
  router_id,
})

const findings = [
  finding("ok", "flat", "node-1"),
  finding("limit", "flat", null),
  finding("problem", "flat", "node-2"),
  finding("ok", null, null),
  finding("unknown", "attic", "node-3"),
]

describe("findings", () => {
  it("are grouped by room, the service first, with the worst first and what is fine apart", () => {
    const groups = groupsOf(findings)
    expect(groups.map(({ environmentId }) => environmentId)).toEqual([null, "attic", "flat"])
    expect(groups[2]!.open.map(({ verdict }) => verdict)).toEqual(["problem", "limit"])
    expect(groups[2]!.fine).toHaveLength(1)
    expect(groups[0]).toMatchObject({ open: [], fine: [{ verdict: "ok" }] })
  })

  it("are those of a room itself, or of one of its boards", () => {
    expect(openFindings(findings, "flat", null)).toMatchObject([{ verdict: "limit" }])
    expect(openFindings(findings, "flat", "node-2")).toMatchObject([{ verdict: "problem" }])
    expect(openFindings(findings, "flat", "node-1")).toEqual([])
  })
})
