/** The findings about privacy classes and egresses, which the doctor and the console show. */
import { expect, it } from "vitest"
import { type PrivacyClass, privacyClasses } from "../../../core/privacy/privacy-class.ts"
import { judgeEgress } from "../../../gateways/diagnosis/judge-egress.ts"
import type { DiagnosticsBody } from "../../../protocols/pose-api/diagnostics.ts"

/** Two active rooms with a board each, and one that is not active. */
const twoRooms = {
  environments: [
    { environment_id: "bedroom", active: true },
    { environment_id: "flat", active: true },
    { environment_id: "cellar", active: false },
  ],
  routers: [
    { router_id: "bed", environment_id: "bedroom" },
    { router_id: "node-1", environment_id: "flat" },
    { router_id: "old", environment_id: "cellar" },
  ],
} as unknown as DiagnosticsBody

const classes: Readonly<Record<string, PrivacyClass>> = { bed: privacyClasses.derived, old: privacyClasses.raw }
const classOf = (nodeId: string) => classes[nodeId] ?? privacyClasses.anonymous

it("a board of class derived limits its own active room, and no other", () => {
  expect(judgeEgress(twoRooms, classOf, [])).toEqual([{
    check: "privacy of bedroom",
    verdict: "limit",
    finding: expect.stringMatching(/^bed has the privacy class derived: the home gets nothing of it/),
    advice: expect.stringContaining("WAVEPOSE_PRIVACY_CLASS"),
    environment_id: "bedroom",
    router_id: "bed",
  }])
  expect(judgeEgress(twoRooms, () => privacyClasses.restricted, [])).toEqual([])
})

it("an egress is fine, closed by the gate, or a problem; one that is off or begins is not mentioned", () => {
  const of = (status: "active" | "refused" | "unavailable" | "disabled" | "starting") =>
    judgeEgress(twoRooms, () => privacyClasses.anonymous, [{ destination: "mqtt", status, reason: "the cause" }])
      .map(({ finding, verdict }) => [verdict, finding])
  expect(of("active")).toEqual([["ok", "it runs"]])
  expect(of("refused")).toEqual([["limit", "closed: the cause"]])
  expect(of("unavailable")).toEqual([["problem", "the cause"]])
  expect([of("disabled"), of("starting")]).toEqual([[], []])
})
