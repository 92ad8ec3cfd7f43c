/**
 * A simulation that is written to a file and replayed: the frames are equal, and still marked as simulated.
 */
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { loadScenario } from "../../../deploy/source/load-scenario.ts"
import { openCapture, recordingFormat } from "../../../deploy/source/capture.ts"
import { recordSimulation } from "../../../deploy/source/record.ts"
import { openReplay, planReplay } from "../../../deploy/source/replay.ts"
import { truthFileOf } from "../../../sim/recording/recording.ts"
import { geometryOf, type Scenario } from "../../../sim/scenario/scenario.ts"
import { createSimulation } from "../../../sim/simulation/simulation.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-record-"))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, "home.csi")

const startMs = 1_700_000_000_000
const hops = 12

/** Records a scenario. Returns what was written, and the reported progress. */
const record = (scenario: Scenario, to: string) =>
  Effect.gen(function* () {
    const shares: Array<number> = []
    const options = { file: to, hops, speed: null, progressed: (share: number) => void shares.push(share) }
    return { ...yield* recordSimulation(scenario, options), shares }
  }).pipe(Effect.scoped, Effect.runPromise)

describe("a recorded simulation", () => {
  let scenario: Scenario
  let written: Awaited<ReturnType<typeof record>>
  beforeAll(async () => {
    scenario = { ...await Effect.runPromise(loadScenario("home", 5)), emptySeconds: 0.5 }
    written = await record(scenario, file)
  }, 30_000)

  /** All batches of a replay. */
  const replayed = Effect.gen(function* () {
    const replay = yield* openReplay({ files: [file], startMs, loop: false })
    const batches: Array<CsiBatch> = []
    const ends: Array<number> = []
    for (let hop = yield* replay.next; hop !== null; hop = yield* replay.next) {
      ends.push(hop.endUs)
      batches.push(...hop.batches)
    }
    return { batches, ends, faults: replay.faults() }
  }).pipe(Effect.scoped)

  it("is the same file for the same scenario and seed, and a different one for others", async () => {
    const again = join(folder, "again.csi")
    const other = join(folder, "other.csi")
    await record(scenario, again)
    await record({ ...scenario, seed: 6 }, other)
    const bytes = readFileSync(file)
    expect(bytes.equals(readFileSync(again))).toBe(true)
    expect(readFileSync(truthFileOf(file)).equals(readFileSync(truthFileOf(again)))).toBe(true)
    expect(bytes.equals(readFileSync(other))).toBe(false)
    expect(written).toMatchObject({ bytes: bytes.length, frames: expect.any(Number) })
    expect(written.shares).toEqual(Array.from({ length: hops }, (_, i) => (i + 1) / hops))
  }, 30_000)

  it(
    "replays frame by frame, at the new time, under its own names, marked as simulated",
    () =>
      Effect.gen(function* () {
        const { batches, ends, faults } = yield* replayed
        expect(faults).toBe(0)
        // A clock that is ahead may reach into one hop more.
        expect(ends.length - hops).toBeLessThanOrEqual(1)
        const simulation = createSimulation(scenario, { startUs: startMs * 1000 })
        const original = Array.from({ length: hops }, () => simulation.next().batches).flat()
        const frames = (all: ReadonlyArray<CsiBatch>, routerId: string) => {
          const own = all.filter((batch) => batch.routerId === routerId)
          return {
            // Integers have one zero.
            csi: own.flatMap(({ csi }) => [...csi]).map((value) => value + 0),
            // A clock that is behind cannot show what was before the recording.
            times: own.flatMap(({ timestampsUs }) => [...timestampsUs]).map((us) => Math.max(us, startMs * 1000)),
            sequences: own.flatMap(({ sequences }) => [...sequences]),
          }
        }
        for (const routerId of ["living-2", "bed-4"]) {
          expect(frames(batches, `replay-${routerId}`)).toEqual(frames(original, routerId))
        }
        expect(batches.every(({ source }) => source === "simulated")).toBe(true)
        expect(batches[0]!.transmitterIds.every((id) => id.startsWith("replay-"))).toBe(true)
        expect(batches.reduce((sum, { frameCount }) => sum + frameCount, 0)).toBe(written.frames)
      }).pipe(Effect.runPromise),
    30_000,
  )

  it("contains its sites with the surveyed geometry, and when they were empty", () =>
    Effect.gen(function* () {
      const { empty, enrolments, simulated } = yield* planReplay([file])
      expect(simulated).toEqual([file])
      expect(enrolments.map(({ environment }) => environment.environmentId)).toEqual([
        "replay-living-room",
        "replay-bedroom",
      ])
      const { nodes, size } = geometryOf(scenario, "bedroom")
      expect(enrolments[1]).toEqual({
        environment: {
          environmentId: "replay-bedroom",
          name: "Replay of Simulation of the bedroom",
          geometry: { size, nodes: nodes.map((node) => ({ ...node, nodeId: `replay-${node.nodeId}` })) },
        },
        routerIds: ["replay-bed-1", "replay-bed-2", "replay-bed-3", "replay-bed-4"],
      })
      expect(empty).toEqual([{ seconds: 0.5, routerIds: enrolments.flatMap(({ routerIds }) => routerIds) }])
      const both = yield* planReplay([file, file])
      const names = both.enrolments.flatMap(({ environment, routerIds }) => [environment.environmentId, ...routerIds])
      expect(new Set(names).size).toBe(names.length)
      expect(names).toContain("replay-bed-1-2")
    }).pipe(Effect.runPromise))

  it("has the ground truth beside it, one line per hop", () => {
    const lines = readFileSync(truthFileOf(file), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line))
    expect(lines.map(({ endUs }) => endUs)).toEqual(Array.from({ length: hops }, (_, i) => (i + 1) * 100_000))
    const simulation = createSimulation(scenario, { startUs: 0 })
    for (const { persons } of lines) expect(persons).toEqual(JSON.parse(JSON.stringify(simulation.next().truth)))
  }, 30_000)

  it("is one receiver for inspect", () =>
    Effect.gen(function* () {
      const capture = yield* openCapture(file, { routerId: "capture", source: "replay" })
      expect(capture.format).toBe(recordingFormat)
      const links = new Set<string>()
      for (let result = yield* capture.next; result !== null; result = yield* capture.next) {
        for (const { routerId, transmitterIds } of result.batches) {
          expect(routerId).toBe("capture")
          for (const id of transmitterIds) links.add(id)
        }
      }
      expect(links.size).toBe(5 * 4 + 4 * 3)
      expect(capture.hardware()).toBe("simulation of scenario home, seed 5")
      expect(capture.share()).toBe(1)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("is rejected if its header is invalid, and fails if it cannot be written", () =>
    Effect.gen(function* () {
      const broken = join(folder, "broken.csi")
      writeFileSync(broken, "wavepose-recording 1\n{}\n")
      const unreadable = yield* Effect.flip(planReplay([broken]))
      expect(unreadable).toMatchObject({ _tag: "UnreadableRecording", message: expect.stringContaining("second line") })
      const options = { file: join(folder, "no", "such", "file"), hops, speed: null, progressed: () => {} }
      const unwritable = yield* Effect.flip(Effect.scoped(recordSimulation(scenario, options)))
      expect(unwritable).toMatchObject({
        _tag: "UnwritableFile",
        message: expect.stringContaining("cannot be written"),
      })
    }).pipe(Effect.runPromise))
})
