import { describe, expect, it } from "vitest"
import { findingsOf } from "../../../gateways/console/web/health/findings.ts"
import type { Diagnostics } from "../../../gateways/console/web/service/types.ts"

const well = {
  store_answers: true,
  given_up_actors: [],
  system: { status: "running", failure: null, environment_id: null },
  environments: [],
  routers: [],
} as unknown as Diagnostics

const environment = { environment_id: "flat", active: true, no_frames_reason: null, behind: null }

describe("findings", () => {
  it("has none when all is well", () => {
    expect(findingsOf(well)).toEqual([])
  })

  it("names what keeps frames away", () => {
    const report = {
      ...well,
      store_answers: false,
      system: { status: "stopped", failure: null, environment_id: null },
      environments: [
        { ...environment, no_frames_reason: "no router is enrolled" },
        { ...environment, environment_id: "attic", active: false, no_frames_reason: "inactive" },
        { ...environment, behind: { stage: "cpu", finding: "The CPU is busy.", advice: "Add a node." } },
      ],
      routers: [{ router_id: "node-1", reason: "no answer", calibration: null }, {
        router_id: "node-2",
        reason: null,
        calibration: { stale_reason: "the channel changed" },
      }],
    } as unknown as Diagnostics
    expect(findingsOf(report)).toEqual([
      "The database does not answer: nothing is stored and no frame is sent.",
      "The system is stopped.",
      "flat has no frames: no router is enrolled",
      "flat is late: The CPU is busy. Add a node.",
      "Board node-1: no answer",
      "Board node-2 needs a calibration: the channel changed",
    ])
  })
})
