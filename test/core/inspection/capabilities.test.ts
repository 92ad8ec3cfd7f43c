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
  it.each<[string, Inspection, boolean, RegExp]>([
    ["presence", inspection(), true, /90 %/],
    ["presence", inspection({ presence: silent }), false, /too few packets/],
    ["speed", inspection(), false, /1\.4 m\/s .* 29\d packets\/s/],
    ["speed", inspection({ timing: { ...timing, steadyRateHz: 400 } }), true, /5\.5 m\/s/],
    ["speed", inspection({}, { centerFrequencyHz: 0 }), false, /centre frequency/],
    ["breathing", inspection(), true, /60 s at 100\.0/],
    ["breathing", inspection({ timing: { ...timing, durationS: 12 } }), false, /12\.0 s are too short/],
    [
      "breathing",
      inspection({
        timing: { ...timing, rateHz: 2 },
        breathingWindows: { readable: 0, reason: "the rate is too low" },
      }),
      false,
      /2\.0 packets\/s .* the rate is too low/,
    ],
    ["breathing", inspection({ breathingWindows: { readable: 0.4, reason: "gaps" } }), true, /40 % of its windows/],
    ["breathing", inspection({ timing: { ...timing, durationS: null, rateHz: null } }), false, /no time/],
    ["location", inspection({ links: 3 }), false, /^needs the positions/],
    ["location", inspection({ links: 3 }, { centerFrequencyHz: 0 }), false, /^needs a known centre frequency; the/],
    ["location", inspection({}, { receiveAntennas: 1 }), false, /3 links \(here 1\); 2 receive antennas \(here 1\)/],
    ["angle", inspection(), true, /3 receive antennas/],
    ["angle", inspection({}, { receiveAntennas: 1 }), false, /2 receive antennas/],
    ["angle", inspection({ amplitudeOnly: true }), false, /without a phase/],
    ["delay", inspection(), true, /15\.0 m/],
    ["delay", inspection({}, { format: "beamforming-feedback" }), false, /directions alone/],
    ["delay", inspection({}, { bandwidthHz: 0 }), false, /bandwidth/],
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
