/** Who is behind, from what is measured. */
import { describe, expect, it } from "vitest"
import { behindOf, behindText, type Timing } from "../../../protocols/domain/behind.ts"

/** A frame of 20 s of age whose CSI arrived this silent and this late. */
const timing = (over: Partial<Timing> = {}, silentMs = 50, arrivalLagMs = 0): Timing => ({
  environmentId: "flat",
  frameAgeMs: 20_000,
  observationAgeMs: 20_000,
  framesWaiting: 0,
  source: "live",
  routers: [{ silentMs: null, arrivalLagMs: null }, { silentMs, arrivalLagMs }, { silentMs: 90_000, arrivalLagMs: 0 }],
  storeAnswers: true,
  loopLagMs: 20,
  cpu: 0.3,
  ...over,
})

const found = (over: Partial<Timing>, silentMs?: number, arrivalLagMs?: number) => {
  const { finding, stage } = behindOf(timing(over, silentMs, arrivalLagMs))!
  return `${stage}: ${finding}`
}

describe("the cause of lateness", () => {
  it("is null while the newest frame is on time, or if there is none", () => {
    expect(behindOf(timing({ frameAgeMs: 2_000 }))).toBeNull()
    expect(behindOf(timing({ frameAgeMs: null }))).toBeNull()
    expect(behindOf(timing({ frameAgeMs: 2_001 }))).toMatchObject({ lateness: "late", ageMs: 2_001 })
    expect(behindOf(timing())).toMatchObject({ lateness: "stale" })
  })

  it("is the source that sends nothing or late: a process, or the routers themselves", () => {
    expect(found({ source: "simulated" }, 19_900)).toBe("source: The source is behind: no CSI has arrived for 19.9 s.")
    expect(found({ source: "replay" }, 19_900)).toContain("source: ")
    expect(found({}, 19_900)).toBe("router: The routers are behind: no CSI has arrived for 19.9 s.")
    expect(found({}, 50, 19_800)).toBe("router: The routers are behind: CSI arrives 19.8 s late.")
  })

  it("is a simulator that does not keep its pace, with the machine's load beside it", () => {
    const text = found({ source: "simulated", cpu: 0.98 }, 50, 19_800)
    expect(text).toContain("source: The source is behind: the simulator does not keep its pace, its CSI arrives 19.8 s")
    expect(text).toContain("98 % busy")
  })

  it("is the source by the environment's own newest hop where no router answers", () => {
    expect(found({ source: "simulated", routers: [], observationAgeMs: 19_000 })).toContain("source: ")
    expect(found({ routers: [], observationAgeMs: 300 })).toContain("environment: ")
  })

  it("is the environment when CSI is on time and its frames are not", () => {
    expect(found({})).toBe(
      "environment: The environment is behind: its frames follow the CSI of its routers by 19.9 s.",
    )
  })

  it("is the store when frames wait for it, and not when nothing comes", () => {
    expect(found({ framesWaiting: 190 })).toBe("store: The store is behind: 190 frames wait to be stored.")
    expect(found({ framesWaiting: 1, storeAnswers: false })).toContain("the database does not answer")
    expect(found({ storeAnswers: false }, 19_900)).toContain("router: ")
    // One frame is always on its way to the store.
    expect(found({ framesWaiting: 1 })).toContain("environment: ")
  })

  it("is the processor when the event loop is delayed, unless the silence is far longer", () => {
    expect(found({ loopLagMs: 900 })).toBe(
      "cpu: The processor is behind: the event loop of this node was delayed by 0.9 s.",
    )
    expect(found({ loopLagMs: 900, source: "simulated" }, 100, 19_000)).toContain("cpu: ")
    expect(found({ loopLagMs: 900 }, 19_900)).toContain("router: ")
  })

  it("is said with the environment and the age", () => {
    expect(behindText("flat", behindOf(timing())!)).toMatch(
      /^The newest frame of environment flat is 20\.0 s old \(stale\)\. The environment is behind: /,
    )
  })
})
