import { Effect } from "effect"
import { expect, it } from "vitest"
import { parseLabels } from "../../../../deploy/eval/recordings/labels.ts"
import { labelsCsv } from "../../../../protocols/domain/label.ts"
import { Labels } from "../../../../protocols/ports/labels.ts"
import { onEachDatabase } from "../../../harness/history-store.ts"

const noon = Date.UTC(2026, 0, 5, 12)
const label = (environmentId: string, fromS: number, toS: number) => ({
  environmentId,
  fromMs: noon + fromS * 1000,
  toMs: noon + toS * 1000,
  state: "empty" as const,
  note: null,
  createdBy: "vera",
})
const all = { environmentId: "flat", fromMs: null, toMs: null, limit: 10 }

await onEachDatabase("labels", ({ run }) => {
  it("are kept until they are removed, and never overlap within a room", () =>
    run(Effect.gen(function* () {
      const labels = yield* Labels
      const first = yield* labels.add(label("flat", 0, 60))
      expect(first).toMatchObject(label("flat", 0, 60))
      expect(yield* labels.add(label("flat", 59, 70))).toBe(null)
      expect(yield* labels.add(label("attic", 59, 70))).not.toBe(null)
      const second = yield* labels.add({ ...label("flat", 60, 90), state: "moving", note: "one person" })
      expect(yield* labels.list(all)).toEqual([second, first])
      expect(yield* labels.list({ ...all, fromMs: noon + 60_000 })).toEqual([second])
      expect(yield* labels.list({ ...all, toMs: noon + 60_000 })).toEqual([first])
      const added = yield* Effect.all([1, 2, 3, 4].map(() => labels.add(label("hall", 0, 5))), {
        concurrency: "unbounded",
      })
      expect(added.filter((one) => one !== null)).toHaveLength(1)
      expect(yield* labels.remove(first!.labelId)).toBe(true)
      expect(yield* labels.remove(first!.labelId)).toBe(false)
      expect(yield* labels.list(all)).toEqual([second])
    })))

  it("are read by the scoreboard, as seconds of the recording and not beyond it", () =>
    run(Effect.gen(function* () {
      const labels = yield* Labels
      yield* labels.add(label("den", 0, 60))
      yield* labels.add({ ...label("den", 80, 120), state: "still" })
      const stored = yield* labels.list({ ...all, environmentId: "den" })
      const csv = labelsCsv(stored, {
        file: "den/day.csv",
        room: "den",
        link: "a-b",
        fromMs: noon + 10_000,
        toMs: noon + 100_000,
      })
      expect(parseLabels(csv)("/recordings/den/day.csv")).toEqual({
        room: "den",
        link: "a-b",
        spans: [
          { fromS: 70, untilS: 90, state: "still", breathingPerMinute: null },
          { fromS: 0, untilS: 50, state: "empty", breathingPerMinute: null },
        ],
      })
    })))
})
