/** The decision: every class and destination, the removed fields, and that only the gate can construct a `Released`. */
import { describe, expect, it } from "vitest"
import { neverExposed, removedByRestricted } from "../../../core/privacy/fields.ts"
import { gate, type Released, type Verdict } from "../../../core/privacy/gate.ts"
import { type Destination, destinations, type PrivacyClass } from "../../../core/privacy/privacy-class.ts"
import { edgeRecord } from "../../harness/edge-records.ts"

const released = <R, D extends Destination>(verdict: Verdict<R, D>): Released<R, D> => {
  if (verdict.decision === "refuse") throw new Error(verdict.refusal.reason)
  return verdict.released
}

describe.each(destinations)("to %s", (destination) => {
  it.each([0, 1] as const)("rejects class %i, with a reason that states what to do", (privacyClass) => {
    const verdict = gate(edgeRecord("kitchen"), privacyClass, destination)
    expect(verdict).toMatchObject({ decision: "refuse", refusal: { privacyClass, destination } })
    expect(verdict).not.toHaveProperty("released")
    if (verdict.decision === "refuse") expect(verdict.refusal.reason).toMatch(/anonymous \(2\) and restricted \(3\)/)
  })

  it("allows a record of class 2 unchanged", () => {
    const record = edgeRecord("kitchen")
    const verdict = gate(record, 2, destination)
    expect(verdict.decision).toBe("allow")
    expect(released(verdict).record).toBe(record)
    expect(released(verdict)).toMatchObject({ destination, privacyClass: 2, redactedFields: [] })
  })

  it("removes from class 3 the features of a body, a habit or a home, at any depth, and lists them", () => {
    const record = edgeRecord("kitchen", { privacyClass: 3 })
    const before = structuredClone(record)
    const verdict = gate(record, 3, destination)
    expect(verdict.decision).toBe("redact")
    const { record: left, redactedFields } = released(verdict)
    expect(redactedFields.toSorted()).toEqual(
      ["anomaly_score", "breathing_rate_bpm", "env_shift_score", "heartrate_bpm", "node_coherence"],
    )
    expect(left.sensing).toMatchObject({
      anomalyScore: null,
      envShiftScore: null,
      nodeCoherence: null,
      vitals: { breathingRateBpm: null, breathingConfidence: 0, heartRateBpm: null },
    })
    expect(left.sensing!.vitals.heartReason).toMatch(/Restricted/)
    expect(left.events!.unrecognizedActivityPattern).toMatchObject({ active: true, anomalyScore: null })
    expect(left.sensing).toMatchObject({ presence: record.sensing!.presence, nPersons: 2, motion: 0.25 })
    expect(record).toEqual(before)
  })
})

it("releases a released record again unchanged", () => {
  const first = released(gate(edgeRecord("kitchen"), 3, "grpc"))
  const second = released(gate(first.record, 3, "bridge"))
  expect(second.record).toEqual(first.record)
  expect(second.redactedFields).toEqual(first.redactedFields)
})

it("removes fields that are never exposed, for any class, in any spelling and at any depth", () => {
  const planted = {
    value: 1,
    identity_risk_score: 0.5,
    inner: [{ soulMatchProbability: 0.5, kept: true }, {
      deeper: { rf_signature_hash: "abc", rfSignatureHash: "abc" },
    }],
  }
  for (const privacyClass of [2, 3] as const) {
    expect(released(gate(planted, privacyClass, "mqtt")).record).toEqual({
      value: 1,
      inner: [{ kept: true }, { deeper: {} }],
    })
  }
  expect(neverExposed).toEqual(["identity_risk_score", "soul_match_probability", "rf_signature_hash"])
})

it("knows bytes, texts and whole numbers of any size as values", () => {
  const record = { bytes: new Uint8Array([1, 2]), at: 2n ** 70n, text: "a", list: [null, true] }
  expect(released(gate(record, 3, "webhook")).record).toBe(record)
})

it("is constructed by the gate only: its constructor is not reachable, and a copy of its fields is not one", () => {
  const proof = released(gate({ a: 1 }, 2, "bridge"))
  const forged = Object.create(Object.getPrototypeOf(proof), Object.getOwnPropertyDescriptors(proof)) as typeof proof
  expect(() => forged.record).toThrow(TypeError)
  expect({ ...proof }).not.toHaveProperty("record")
  // @ts-expect-error an object that looks like it is none
  const typed: Released<{ a: number }, "bridge"> = { ...proof }
  // @ts-expect-error a record released to one destination is not released to another
  const elsewhere: Released<{ a: number }, "mqtt"> = proof
  expect([typed, elsewhere]).toHaveLength(2)
})

it("defines the new reason of each field that Restricted removes", () => {
  for (const [field, { beside, wireName }] of Object.entries(removedByRestricted)) {
    expect(wireName, field).toMatch(/^[a-z_]+$/)
    expect(Object.values(beside).some((value) => typeof value === "string" && value.includes("Restricted")), field)
      .toBe(true)
  }
})

it("rejects exactly the classes below Anonymous", () => {
  const decisions = ([0, 1, 2, 3] as ReadonlyArray<PrivacyClass>).map((of) => gate({}, of, "home").decision)
  expect(decisions).toEqual(["refuse", "refuse", "allow", "allow"])
})
