/** The file of a live recording when its header is full. */
import { Effect } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { openLiveRecording } from "../../../deploy/source/live-recording.ts"
import { readRecordingHeader, RecordingReader } from "../../../sim/recording/recording-decoder.ts"
import { scene } from "../../harness/scene.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-live-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const startUs = 1e15
const options = (file: string, note: string | null) => ({
  file: join(folder, file),
  environment: { environmentId: "hall", name: "Hall", geometry: null },
  note,
  label: "empty",
  startUs,
})

it("goes on after more labels than it has room for, and the rest of the time has none", async () => {
  const [batch] = [...scene({ seconds: 1, rateHz: 20, seed: 1, movers: () => [] })]
  const timestampsUs = batch!.timestampsUs.map((atUs) => atUs - batch!.timestampsUs[0]! + startUs)
  const file = join(folder, "night.wavepose")
  await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
    const recording = yield* openLiveRecording(options("night.wavepose", null))
    for (let i = 0; i < 2_000; i++) yield* recording.label(i % 2 === 0 ? "walking" : "empty", startUs + i * 60e6)
    yield* recording.write([{ ...batch!, timestampsUs }])
  })))
  const bytes = new Uint8Array(readFileSync(file))
  const labels = readRecordingHeader(bytes)!.capture!.labels
  expect(labels.length).toBeGreaterThan(300)
  expect(labels.length).toBeLessThan(2_001)
  expect(labels.at(-1)!.untilS).toBe((labels.length - 1) * 60)
  expect(new RecordingReader().push(bytes).batches.map(({ frameCount }) => frameCount)).toEqual([batch!.frameCount])
})

it("is not created if its note does not fit", async () => {
  const opened = Effect.scoped(openLiveRecording(options("noted.wavepose", "a".repeat(60_000))))
  expect(await Effect.runPromise(Effect.flip(opened))).toMatchObject({ _tag: "RecordingTooWide" })
  expect(existsSync(join(folder, "noted.wavepose"))).toBe(false)
})
