import { describe, expect, it } from "vitest"
import type { RadioLayout } from "../../../core/formats/csi-batch.ts"
import type { Inspection } from "../../../core/inspection/inspector.ts"
import { supportOf } from "../../../core/inspection/capabilities.ts"
import { layoutOf } from "../signal/channel.ts"

const inspection = (over: Partial<Inspection> = {}, layout: Partial<RadioLayout> = {}): Inspection => ({
  frames: 6000,
  faults: [],
  faultsOmitted: 0,
  warnings: [],
  layouts: [{ layout: layoutOf(layout), frames: 6000, busiest: { transmitterId: "ap", frames: 6000 } }],
  links: 1,
  busiestLinks: [{ transmitterId: "ap", frames: 6000 }],
  timing: {
    durationS: 60,
    rateHz: 100,
    intervalMedianS: 0.01,
    jitterS: 0.001,
    gaps: { count: 0, longestS: 0.01, share: 0 },
    steadyRateHz: 100,
  },
  span: { fromUs: 0, untilUs: 6e7 },
  loss: 0,
  amplitudeMean: 1,
  presence: { present: false, confidence: 0.9, reason: null, share: 0, motion: 0, answered: 0.9 },
  unused: { frames: 0, reasons: "" },
  amplitudeOnly: false,
  breathing: { rateBpm: null, reason: "none" },
  heart: { rateBpm: null, reason: "none" },
  breathingWindows: { readable: 1, reason: null },
  ...over,
})

const verdictOf = (use: string, of: Inspection) => supportOf(of).find((support) => support.use.startsWith(use))!

const timing = inspection().timing
const silent = { present: null, confidence: 0, reason: "too few packets", share: null, motion: null, answered: 0 }

describe("what a capture can support", () => {
  it.each<[string, Inspection, "yes" | "partly" | "no", RegExp]>([
    ["presence", inspection(), "yes", /90 %/],
    ["presence", inspection({ presence: silent }), "no", /too few packets/],
    [
      "presence",
      inspection({ presence: { ...silent, reason: "a breath is measured", answered: 0.45, share: 0 } }),
      "partly",
      /^answered for 45 % of the time, but a breath is measured$/,
    ],
    ["speed", inspection(), "no", /1\.4 m\/s .* 29\d packets\/s/],
    ["speed", inspection({ timing: { ...timing, steadyRateHz: 400 } }), "yes", /5\.5 m\/s/],
    ["speed", inspection({}, { centerFrequencyHz: 0 }), "no", /centre frequency/],
    ["breathing", inspection(), "yes", /60 s at 100\.0/],
    ["breathing", inspection({ timing: { ...timing, durationS: 12 } }), "no", /12\.0 s are too short/],
    [
      "breathing",
      inspection({
        timing: { ...timing, rateHz: 2 },
        breathingWindows: { readable: 0, reason: "the rate is too low" },
      }),
      "no",
      /2\.0 packets\/s .* the rate is too low/,
    ],
    ["breathing", inspection({ breathingWindows: { readable: 0.4, reason: "gaps" } }), "yes", /40 % of its windows/],
    ["breathing", inspection({ timing: { ...timing, durationS: null, rateHz: null } }), "no", /no time/],
    ["location", inspection({ links: 3 }), "no", /^needs the positions/],
    ["location", inspection({ links: 3 }, { centerFrequencyHz: 0 }), "no", /^needs a known centre frequency; the/],
    ["location", inspection({}, { receiveAntennas: 1 }), "no", /3 links \(here 1\); 2 receive antennas \(here 1\)/],
    ["angle", inspection(), "yes", /3 receive antennas/],
    ["angle", inspection({}, { receiveAntennas: 1 }), "no", /2 receive antennas/],
    ["angle", inspection({ amplitudeOnly: true }), "no", /without a phase/],
    ["delay", inspection(), "yes", /15\.0 m/],
    ["delay", inspection({}, { format: "beamforming-feedback" }), "no", /directions alone/],
    ["delay", inspection({}, { bandwidthHz: 0 }), "no", /bandwidth/],
  ])("%s: %#", (use, of, supported, reason) => {
    expect(verdictOf(use, of)).toMatchObject({ supported, reason: expect.stringMatching(reason) })
  })

  it("counts the rate of one link, not of all of them", () => {
    const shared = inspection({
      layouts: [{ layout: layoutOf(), frames: 6000, busiest: { transmitterId: "ap", frames: 240 } }],
    })
    expect(verdictOf("breathing", shared).reason).toMatch(/at 4\.0 packets\/s of one link/)
  })
})
