import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PoseFrame } from "../../../protocols/domain/pose.ts"
import { type Form, forms } from "../../../protocols/pose-api/forms.ts"
import { frameText, type MemoFrame, updateText } from "../../../protocols/pose-api/pose-frame.ts"
import type { PoseFilter } from "../../../protocols/pose-api/pose-json.ts"
import { makeFrame, makePerson, share } from "../../gateways/pose/frames.ts"

const everything: PoseFilter = {
  minConfidence: 0,
  personIds: null,
  includeKeypoints: true,
  include3d: true,
  includeDensePose: false,
}
const frame = makeFrame()

const bare = (of: PoseFrame, filter: PoseFilter = everything, nowMs = of.timestampMs) =>
  JSON.parse(frameText(share(of), "bare", filter, nowMs))

describe("a frame", () => {
  it("has the bare form's fields, rounded", () => {
    const { persons, metadata, ...rest } = bare(frame)
    expect(rest).toEqual({ timestamp: "2026-01-05T09:30:00.125Z", frame_id: 7, processing_time_ms: 4.568 })
    expect(persons[0]).toMatchObject({
      id: 41,
      confidence: 0.9123,
      bounding_box: { x: 0.1111, y: 0.2222, width: 0.3333, height: 0.4444 },
      activity: "walking",
      location: { x: 42.235, y: 2.346 },
      location_sigma_m: 0.2,
      evidence_reason: null,
      tracking_info: { track_id: "41", track_age: 53, velocity: { x: 0.123, y: -0.765 } },
    })
    expect(persons[0].keypoints[0]).toEqual({
      name: "nose",
      x: 0.1235,
      y: 0.6543,
      confidence: 0.7778,
      visible: true,
      observed: true,
    })
    expect(persons[0].keypoints_3d[0]).toEqual({
      name: "nose",
      x: 1.235,
      y: 2.346,
      z: 1.7,
      confidence: 0.7778,
      sigma_m: 0.123,
      observed: true,
    })
    expect(persons[0].keypoints.map(({ observed }: { observed: unknown }) => observed))
      .toEqual([true, false, false, true, false, false, true])
    expect(metadata).toEqual({
      environment_id: "living-room",
      router_count: 4,
      signal_quality: 0.9877,
      processing_pipeline: "back-projection",
      provenance: {
        source: "simulated",
        calibrated: true,
        age_ms: 0,
        lateness: "on_time",
        model_version: "mean-skeleton",
        links_used: 12,
      },
      presence: { present: true, confidence: 1, reason: null },
      vitals: {
        breathing_rate_bpm: null,
        breathing_confidence: 0,
        breathing_reason: "not enough data yet",
        heartrate_bpm: null,
        heartrate_reason: "not enough data yet",
      },
      motion: 0.3457,
      view: { looking_along: "+y", width_m: 5.432, height_m: 2.5 },
      capabilities: ["presence", "motion", "location", "count"],
      persons_reason: null,
    })
  })

  it("has the envelope form's fields", () => {
    const body = JSON.parse(frameText(share(frame), "envelope", everything, frame.timestampMs))
    expect(body.environment_id).toBe("living-room")
    expect(body.persons[0]).toMatchObject({ person_id: 41, track_id: 41, confidence: 0.9123 })
    expect(body.persons[0]).not.toHaveProperty("tracking_info")
    expect(body.metadata).toMatchObject({
      model_version: "mean-skeleton",
      processing_mode: "realtime",
      csi_quality: 0.9877,
    })
    expect(body.metadata).not.toHaveProperty("router_count")
  })

  it("has its age at the time of the answer, although its text is made once", () => {
    const shared = share(frame)
    const ages = [0, 15, 1234.4, -5].map((laterMs) =>
      JSON.parse(frameText(shared, "bare", everything, frame.timestampMs + laterMs)).metadata.provenance.age_ms
    )
    expect(ages).toEqual([0, 15, 1234, 0])
  })

  it.each(forms)("has its lateness at the time of the answer, by the clock of its source, in the %s form", (form) => {
    const lateness = (of: PoseFrame) => {
      const shared = share(of)
      return [2_000, 2_001, 10_001, 70_001].map((laterMs) => {
        const nowMs = of.timestampMs + laterMs
        const update = JSON.parse(updateText(shared, form, everything, nowMs)).data.metadata.provenance
        expect(JSON.parse(frameText(shared, form, everything, nowMs)).metadata.provenance).toEqual(update)
        return update.lateness
      })
    }
    expect(lateness(frame)).toEqual(["on_time", "late", "stale", "stale"])
    const skewed = makeFrame({ provenance: { ...frame.provenance, source: "live", clockOffsetMs: 60_000 } })
    expect(lateness(skewed)).toEqual(["on_time", "on_time", "on_time", "stale"])
  })

  it("is split at its age, whatever its texts contain", () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.constantFrom(`"age_ms":0,"lateness":"on_time"`, `\\"age_ms\\":0,\\"lateness\\":\\"on_time\\"`),
        ),
        fc.constantFrom(...forms),
        (text, form) => {
          const reason = text.toWellFormed()
          const odd = makeFrame({ processingPipeline: reason, processingMode: reason, personsReason: reason })
          const { metadata } = JSON.parse(frameText(share(odd), form, everything, odd.timestampMs + 99))
          expect(metadata.provenance.age_ms).toBe(99)
          expect(metadata.persons_reason).toBe(reason)
        },
      ),
      { seed: 3 },
    ))

  it("has the persons that pass the filter", () => {
    const ids = (filter: Partial<PoseFilter>) =>
      bare(frame, { ...everything, ...filter }).persons.map(({ id }: { id: number }) => id)
    expect(ids({})).toEqual([41, 42])
    expect(ids({ minConfidence: 0.5 })).toEqual([41, 42])
    expect(ids({ minConfidence: 0.51 })).toEqual([41])
    expect(ids({ personIds: new Set([42, 99]) })).toEqual([42])
    expect(ids({ minConfidence: 0.6, personIds: new Set([42]) })).toEqual([])
  })

  it("omits keypoints that are not requested", () => {
    const [person] = bare(frame, { ...everything, includeKeypoints: false, include3d: false }).persons
    expect(person).not.toHaveProperty("keypoints")
    expect(person).not.toHaveProperty("keypoints_3d")
    expect(person).not.toHaveProperty("evidence_reason")
    expect(person).not.toHaveProperty("dense_pose")
  })

  it("has dense poses on request, marked as derived", () => {
    const shared: MemoFrame = {
      ...share(makeFrame({ persons: [makePerson(1, 0.9)] })),
      densePose: () => ({
        reason: null,
        bodyParts: [
          { id: 1, name: "torso", side: "back", uv: [[0.123456, 1]], confidence: 0.87654 },
          { id: 3, name: "right_hand", side: null, uv: [[0, 0.5], [1, 0]], confidence: 0 },
        ],
        pictures: { iuv: Uint8Array.of(1, 2, 3), confidence: Uint8Array.of(255) },
      }),
    }
    const densePose = (form: Form) =>
      JSON.parse(frameText(shared, form, { ...everything, includeDensePose: true }, 0)).persons[0].dense_pose
    const derivation = { derived: true, method: "fitted-body", reason: null }
    expect(densePose("bare")).toEqual({
      body_parts: [
        { part_id: 1, part_name: "torso", side: "back", uv_coordinates: [[0.123, 1]], confidence: 0.877 },
        { part_id: 3, part_name: "right_hand", side: null, uv_coordinates: [[0, 0.5], [1, 0]], confidence: 0 },
      ],
      ...derivation,
    })
    expect(densePose("envelope")).toEqual({ iuv_image: "AQID", confidence_map: "/w==", ...derivation })
    expect(bare(frame).persons[0]).not.toHaveProperty("dense_pose")
  })

  it("is made once per distinct answer, not once per threshold", () => {
    const keys = new Set<string>()
    const shared = share(makeFrame({ persons: [makePerson(1, 0.3), makePerson(2, 0.6)] }))
    const counting = {
      ...shared,
      memo: <A>(key: string, make: (frame: PoseFrame) => A): A => {
        keys.add(key)
        return shared.memo(key, make)
      },
    }
    for (let step = 0; step <= 1000; step++) {
      frameText(counting, "bare", { ...everything, minConfidence: step / 1000 }, 0)
    }
    expect(keys.size).toBe(3)
  })

  it("is an update without its own timestamp inside", () => {
    const { timestamp, data } = JSON.parse(updateText(share(frame), "bare", everything, frame.timestampMs + 5))
    expect(timestamp).toBe("2026-01-05T09:30:00.125Z")
    expect(Object.keys(data)).toEqual(["frame_id", "persons", "metadata"])
    expect(data.metadata.provenance.age_ms).toBe(5)
  })
})
