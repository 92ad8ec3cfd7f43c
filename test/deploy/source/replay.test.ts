import { Effect, Logger } from "effect"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasRecordings, recordingFile } from "../../harness/recordings.ts"
import type { SourceHop } from "../../../deploy/source/play.ts"
import { openReplay, planReplay, type ReplayOptions } from "../../../deploy/source/replay.ts"

/** An ESP32-CSI-Tool capture: `count` packets of 64 bins, one each `intervalUs` of the device's clock. */
const capture = (count: number, intervalUs: number): string =>
  Array.from({ length: count }, (_, i) => {
    const bins = Array.from({ length: 128 }, (_, k) => (i + k) % 100 - 50).join(" ")
    const timeUs = 7_000_000 + i * intervalUs
    return `CSI_DATA,STA,aa:bb:cc:dd:ee:ff,-40,11,1,0,0,1,1,0,0,0,0,-90,0,6,0,${timeUs},0,100,0,1,0.5,128,[${bins}]\n`
  }).join("")

/** Every hop of a replay, at most `max`, and its faults. */
const hopsOf = (options: ReplayOptions, max = Infinity) =>
  Effect.gen(function* () {
    const replay = yield* openReplay(options)
    const hops: Array<SourceHop> = []
    while (hops.length < max) {
      const hop = yield* replay.next
      if (hop === null) break
      hops.push(hop)
    }
    return { hops, faults: replay.faults() }
  }).pipe(Effect.scoped)

const framesOf = (hops: ReadonlyArray<SourceHop>, routerId: string) =>
  hops.flatMap(({ batches }) => batches.filter((batch) => batch.routerId === routerId))

const startMs = 1_700_000_000_000

describe("replay", () => {
  let folder = ""
  const at = (name: string) => join(folder, name)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "replay-"))
    await writeFile(at("quick.csv"), capture(250, 10_000))
    await writeFile(at("slow one.csv"), capture(10, 130_000))
    await writeFile(at("torn.csv"), capture(30, 10_000).replace("CSI_DATA,STA", "CSI_DA") + "CSI_DATA,half a li")
    await writeFile(at("noise.csv"), "nothing of the kind\n".repeat(50))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it("names a router after each file", () =>
    Effect.gen(function* () {
      yield* Effect.promise(() => mkdir(at("c"), { recursive: true }))
      const files = ["room 1.csv", "room_1.dat", "c/x.y.csi", `c/${"n".repeat(99)}`].map(at)
      for (const file of files) yield* Effect.promise(() => writeFile(file, capture(1, 1)))
      const { empty, enrolments, simulated } = yield* planReplay(files)
      expect(enrolments).toEqual([{
        environment: { environmentId: "replay", name: "Replay of recordings", geometry: null },
        routerIds: ["replay-room_1", "replay-room_1-2", "replay-x.y", `replay-${"n".repeat(50)}`],
      }])
      expect([empty, simulated]).toEqual([[], []])
      const missing = yield* Effect.flip(planReplay([at("no such file")]))
      expect(missing._tag).toBe("UnreadableRecording")
      yield* Effect.promise(() => writeFile(at("notes"), "bread, milk\n"))
      const { message } = yield* Effect.flip(planReplay([...files, at("notes")]))
      expect(message).toMatch(/notes" is not a capture of a known format/)
    }).pipe(Effect.runPromise))

  it("merges recordings hop by hop, each from the start time on its own clock", () =>
    Effect.gen(function* () {
      const { faults, hops } = yield* hopsOf({ files: [at("quick.csv"), at("slow one.csv")], startMs, loop: false })
      expect(faults).toBe(0)
      expect(hops.map(({ endUs }) => endUs)).toEqual(hops.map((_, i) => startMs * 1000 + (i + 1) * 100_000))
      expect(hops.length).toBe(25)
      for (const { batches, endUs } of hops) {
        for (const { source, timestampsUs } of batches) {
          expect(source).toBe("replay")
          expect(timestampsUs.every((us) => us >= endUs - 100_000 && us < endUs)).toBe(true)
        }
      }
      const quick = framesOf(hops, "replay-quick")
      expect(quick.flatMap(({ timestampsUs }) => [...timestampsUs])).toEqual(
        Array.from({ length: 250 }, (_, i) => startMs * 1000 + i * 10_000),
      )
      expect(quick.map(({ batchSequence }) => batchSequence)).toEqual(quick.map((_, i) => i + 1))
      expect(framesOf(hops, "replay-slow_one").flatMap(({ timestampsUs }) => [...timestampsUs])).toEqual(
        Array.from({ length: 10 }, (_, i) => startMs * 1000 + i * 130_000),
      )
    }).pipe(Effect.runPromise))

  it("restarts when it loops, and time continues", () =>
    Effect.gen(function* () {
      const { hops } = yield* hopsOf({ files: [at("quick.csv"), at("slow one.csv")], startMs, loop: true }, 60)
      expect(hops.map(({ endUs }) => endUs)).toEqual(hops.map((_, i) => startMs * 1000 + (i + 1) * 100_000))
      const quick = framesOf(hops, "replay-quick")
      expect(quick.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(600)
      const sequences = quick.map(({ batchSequence }) => batchSequence)
      expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b))
    }).pipe(Effect.runPromise))

  it("drops damaged lines, counts them and logs their position", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const { faults, hops } = yield* hopsOf({ files: [at("torn.csv")], startMs, loop: false })
      expect(faults).toBe(2)
      expect(framesOf(hops, "replay-torn").reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(29)
      expect(lines.filter((line) => line.includes("torn.csv") && line.includes('offset_bytes":0'))).toHaveLength(1)
      expect(lines).toHaveLength(2)
    }).pipe(
      Effect.provide(Logger.layer([Logger.make(({ message }) => lines.push(JSON.stringify(message)))])),
      Effect.runPromise,
    )
  })

  it("rejects a file that is not a capture, and one that does not exist", () =>
    Effect.gen(function* () {
      for (const name of ["noise.csv", "missing.csv"]) {
        const failure = yield* Effect.flip(hopsOf({ files: [at("quick.csv"), at(name)], startMs, loop: false }))
        expect(failure._tag).toBe("UnreadableRecording")
        expect(failure.message).toContain(name)
      }
    }).pipe(Effect.runPromise))
})

describe.skipIf(!hasRecordings("pulse_esp32"))("replay of real recordings", () => {
  it("plays two captures side by side, every frame in its hop", () =>
    Effect.gen(function* () {
      const files = ["vacio_01.csv", "mov_01.csv"].map((name) => recordingFile(`pulse_esp32/${name}`))
      const { hops } = yield* hopsOf({ files, startMs, loop: false })
      for (const routerId of ["replay-vacio_01", "replay-mov_01"]) {
        const batches = framesOf(hops, routerId)
        const frames = batches.reduce((sum, { frameCount }) => sum + frameCount, 0)
        // 105 to 120 packets a second for 60 s.
        expect(frames).toBeGreaterThan(6000)
        expect(frames).toBeLessThan(7300)
        expect(batches[0]!.timestampsUs[0]).toBe(startMs * 1000)
      }
      expect(hops.length).toBeGreaterThan(580)
      expect(hops.length).toBeLessThan(620)
    }).pipe(Effect.runPromise))
})
