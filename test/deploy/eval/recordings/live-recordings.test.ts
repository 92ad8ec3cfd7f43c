/** Live recordings as captures of the scoreboard. */
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { readLiveRecording } from "../../../../deploy/eval/recordings/live-recordings.ts"
import { encodeRecordedBatch, encodeRecordingHeader } from "../../../../sim/recording/recording.ts"
import { scene } from "../../../harness/scene.ts"

it("have the labels of their routers in the time of each router", () => {
  const [batch] = [...scene({ seconds: 1, rateHz: 20, seed: 1, movers: () => [] })]
  const beginning = (routerId: string, atS: number) => ({
    ...batch!,
    routerId,
    timestampsUs: batch!.timestampsUs.map((atUs) => atUs - batch!.timestampsUs[0]! + atS * 1e6),
  })
  const header = Effect.runSync(encodeRecordingHeader({
    scenarioId: null,
    seed: null,
    emptySeconds: 0,
    sites: [{ environmentId: "hall", name: "Hall", geometry: null, routers: ["early", "late"] }],
    capture: {
      recordedAt: "2026-11-25T09:00:00Z",
      note: null,
      labels: [
        { label: "sitting", fromS: 0, untilS: 20 },
        { label: "empty", fromS: 20, untilS: 60 },
        { label: "walking", fromS: 60, untilS: null },
      ],
    },
  }))
  const folder = mkdtempSync(join(tmpdir(), "wavepose-labels-"))
  try {
    const file = join(folder, "hall.wavepose")
    writeFileSync(
      file,
      Buffer.concat([header, ...[beginning("early", 0), beginning("late", 30)].map(encodeRecordedBatch)]),
    )
    expect(readLiveRecording(file, null)!.map(({ label, routerId }) => [routerId, label.link, label.spans])).toEqual([
      ["early", "hall early", [
        { fromS: 0, untilS: 20, state: "still", breathingPerMinute: null },
        { fromS: 20, untilS: 60, state: "empty", breathingPerMinute: null },
        { fromS: 60, untilS: Infinity, state: "moving", breathingPerMinute: null },
      ]],
      ["late", "hall late", [
        { fromS: 0, untilS: 30, state: "empty", breathingPerMinute: null },
        { fromS: 30, untilS: Infinity, state: "moving", breathingPerMinute: null },
      ]],
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
