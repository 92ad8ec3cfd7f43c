import { describe, expect, it } from "vitest"
import type { EstimatedPerson, TrueActivity } from "../../../sim/evaluation/record.ts"
import { estimated, person, sequence, valuesOf } from "./records.ts"

describe("activity", () => {
  const hop = (truth: TrueActivity, activity: EstimatedPerson["activity"]) => ({
    truth: [person(1, 0, 0, truth)],
    said: [estimated(1, 0, 0, { activity })],
  })

  it("is the mean of F1 over the activities that occurred", () => {
    const hops = [hop("walking", "walking"), hop("walking", "standing"), hop("lying", "lying"), hop("lying", "unknown")]
    // walking: 1 right of 2, said once: 2 / (2 + 1); lying the same; standing never occurred.
    expect(valuesOf(sequence(hops))["activity_macro_f1"]).toBeCloseTo(2 / 3, 12)
    // A walk that is called lying costs both.
    expect(valuesOf(sequence([...hops, hop("walking", "lying")]))["activity_macro_f1"]).toBeCloseTo(
      (2 / 4 + 2 / 4) / 2,
      12,
    )
  })

  it("covers matched persons only", () => {
    const missed = { truth: [person(1, 0, 0, "sitting")], said: [estimated(1, 3, 0, { activity: "sitting" })] }
    expect(valuesOf(sequence([missed]))["activity_macro_f1"]).toBeNull()
  })
})
