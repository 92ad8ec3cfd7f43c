import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PoseFrame } from "../../../protocols/domain/pose.ts"
import { decodePoseFrame, encodePoseFrame } from "../../../protocols/grpc/pose-frame.ts"
import { wavepose } from "../../../protocols/grpc/generated/wavepose.js"
import { testFrame, testPerson } from "../../harness/frames.ts"
import { vitals } from "../../harness/vitals.ts"

const number = fc.double({ noNaN: true })
const count = fc.integer({ min: 0, max: 0xffffffff })
const text = fc.string({ unit: "grapheme", maxLength: 12 })
const point = fc.record({ x: number, y: number })

const personOf = (observed: fc.Arbitrary<boolean | null>, evidenceReason: string | null) =>
  fc.record({
    id: count,
    trackStatus: fc.constantFrom("tentative" as const, "active" as const, "lost" as const, "ended" as const),
    trackAge: count,
    confidence: number,
    activity: fc.constantFrom("walking" as const, "falling" as const, "unknown" as const),
    location: point,
    locationSigmaM: number,
    velocity: point,
    boundingBox: fc.record({ x: number, y: number, width: number, height: number }),
    keypoints: fc.array(
      fc.record({ name: text, x: number, y: number, confidence: number, visible: fc.boolean(), observed }),
      {
        maxLength: 4,
      },
    ),
    keypoints3d: fc.array(
      fc.record({ name: text, x: number, y: number, z: number, confidence: number, sigmaM: number, observed }),
      { maxLength: 4 },
    ),
    evidenceReason: fc.constant(evidenceReason),
  })

/** Persons whose keypoints have evidence, or a reason why not. */
const person = fc.option(text, { freq: 2 }).chain((evidenceReason) => {
  const observed: fc.Arbitrary<boolean | null> = evidenceReason === null ? fc.boolean() : fc.option(fc.boolean())
  return personOf(observed, evidenceReason)
})

const frames: fc.Arbitrary<PoseFrame> = fc.record({
  environmentId: fc.string({ minLength: 1, maxLength: 12 }),
  frameId: fc.maxSafeNat(),
  timestampMs: number,
  processingTimeMs: number,
  persons: fc.array(person, { maxLength: 3 }),
  routerCount: count,
  signalQuality: fc.option(number),
  processingPipeline: text,
  processingMode: text,
  presence: fc.record({ present: fc.option(fc.boolean()), confidence: number, reason: fc.option(text) }),
  motion: fc.option(number),
  vitals,
  capabilities: fc.subarray(["presence", "motion", "location", "count", "pose"] as const),
  personsReason: fc.option(text),
  view: fc.option(fc.record({ lookingAlong: fc.constant("+y" as const), widthM: number, heightM: number })),
  provenance: fc.record({
    source: fc.constantFrom("live" as const, "replay" as const, "simulated" as const),
    calibrated: fc.boolean(),
    modelVersion: text,
    linksUsed: count,
  }),
})

describe("pose frame codec", () => {
  it("decodes exactly what it encoded, distinguishing nulls and empty texts", () => {
    fc.assert(
      fc.property(frames, (frame) => {
        expect(decodePoseFrame(encodePoseFrame(frame))).toEqual(frame)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it("reads frames that were stored before keypoints had evidence", () => {
    const stored = testFrame("room", 1, 0, { persons: [testPerson(7, "walking")] })
    const message = wavepose.internal.v1.PoseFrame.decode(encodePoseFrame(stored))
    for (const { keypoints, keypoints_3d } of message.persons) {
      for (const keypoint of [...keypoints ?? [], ...keypoints_3d ?? []]) delete keypoint.observed
    }
    const [person] = decodePoseFrame(wavepose.internal.v1.PoseFrame.encode(message).finish()).persons
    expect(person!.evidenceReason).toMatch("stored before")
    expect(person!.keypoints3d.map(({ observed }) => observed)).toEqual(new Array(17).fill(null))
    expect(person!.keypoints3d[0]!.x).toBe(stored.persons[0]!.keypoints3d[0]!.x)
  })

  it("throws on bytes that are not a frame", () => {
    expect(() => decodePoseFrame(new Uint8Array(0))).toThrow("not a pose frame")
    expect(() => decodePoseFrame(Uint8Array.of(0xff, 0xff))).toThrow()
  })
})
