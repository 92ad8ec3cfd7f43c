import { Deferred, Effect, Exit, Fiber, Result } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { mkdtemp, open, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CsiBatch } from "../../../core/formats/csi-batch.ts"
import { noProgress } from "../../../deploy/source/play.ts"
import { runSerial } from "../../../deploy/source/serial.ts"
import { decodeCsiBatch } from "../../../protocols/grpc/csi-batch.ts"
import type { IngestAck } from "../../../protocols/grpc/ingest-ack.ts"
import { numberedBins, toolLine } from "../../core/formats/esp32-lines.ts"
import { npzFile } from "../../core/formats/npz-files.ts"

const line = (i: number, bins = 64): string =>
  `${
    toolLine({
      clock: Math.round(5000 + 10_000 * i),
      signalMode: bins > 64 ? 1 : 0,
      bandwidth: 1,
      stbc: 1,
      values: numberedBins(bins),
    })
  }\n`

const lines = (from: number, to: number): string => Array.from({ length: to - from }, (_, i) => line(from + i)).join("")

/** A receiver that accepts every batch, or waits. `until` resolves when it has as many frames. */
const makeDoor = () => {
  const taken: Array<CsiBatch> = []
  const waiters: Array<{ readonly frames: number; readonly reached: Deferred.Deferred<void> }> = []
  const frames = (): number => taken.reduce((sum, { frameCount }) => sum + frameCount, 0)
  return {
    taken,
    frames,
    send: (bytes: Uint8Array): Effect.Effect<IngestAck> =>
      Effect.sync(() => {
        const batch = Result.getOrThrow(decodeCsiBatch(bytes))
        taken.push(batch)
        for (const waiter of waiters) if (frames() >= waiter.frames) Deferred.doneUnsafe(waiter.reached, Exit.void)
        return {
          batchSequence: batch.batchSequence,
          acceptedFrames: batch.frameCount,
          droppedFrames: 0,
          reason: null,
          errorCode: null,
          credit: 8,
        }
      }),
    until: (wanted: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        const reached = Deferred.makeUnsafe<void>()
        if (frames() >= wanted) return Effect.void
        waiters.push({ frames: wanted, reached })
        return Deferred.await(reached)
      }),
  }
}

const timesOf = (batches: ReadonlyArray<CsiBatch>): ReadonlyArray<number> =>
  batches.flatMap(({ timestampsUs }) => [...timestampsUs])

describe("serial line", () => {
  let folder = ""
  const at = (name: string) => join(folder, name)
  const pipe = (name: string): string => {
    execFileSync("mkfifo", [at(name)])
    return at(name)
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "serial-"))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it(
    "sends what comes through a pipe as a live router, over torn lines and the end of a writer",
    () =>
      Effect.gen(function* () {
        const path = pipe("line")
        const door = makeDoor()
        const losses = { faults: 0, overtakenFrames: 0 }
        const progress = noProgress()
        const running = yield* Effect.forkDetach(
          Effect.scoped(runSerial({ path, routerId: "node-5" }, door.send, progress, losses)),
        )
        const write = (text: string) =>
          Effect.promise(async () => {
            const handle = await open(path, "w")
            await handle.write(text)
            await handle.close()
          })
        yield* write(`I (20) boot: ok\r\n${lines(0, 3)}`)
        yield* door.until(3)
        yield* write(line(3).slice(0, 200) + "\n" + lines(4, 6) + line(6).slice(0, 99))
        yield* door.until(5)
        yield* write(line(6).slice(99) + lines(7, 9))
        yield* door.until(8)
        yield* Fiber.interrupt(running)
        expect(losses).toEqual({ faults: 1, overtakenFrames: 0 })
        expect(progress).toMatchObject({ sentFrames: 8, refusedBatches: 0 })
        for (const { routerId, source } of door.taken) expect([routerId, source]).toEqual(["node-5", "live"])
        const times = timesOf(door.taken)
        const nowUs = 1000 * Date.now()
        expect(times[0]).toBeGreaterThan(nowUs - 20e6)
        expect(times.at(-1)).toBeLessThan(nowUs + 1000)
        const device = [0, 1, 2, 4, 5, 6, 7, 8].map((i) => 10_000 * i)
        times.forEach((us, i) => expect(Math.abs(us - times[0]! - device[i]!)).toBeLessThan(2000))
      }).pipe(Effect.runPromise),
    20_000,
  )

  it("reads on when the device's clock jumps ahead on a pipe", () =>
    Effect.gen(function* () {
      const path = pipe("jump")
      const door = makeDoor()
      const losses = { faults: 0, overtakenFrames: 0 }
      const running = yield* Effect.forkDetach(
        Effect.scoped(runSerial({ path, routerId: "r" }, door.send, noProgress(), losses)),
      )
      yield* Effect.promise(() => writeFile(path, lines(0, 3)))
      yield* door.until(3)
      yield* Effect.promise(() => writeFile(path, lines(60_003, 60_006)))
      yield* door.until(6)
      yield* Fiber.interrupt(running)
      expect(timesOf(door.taken).at(-1)!).toBeLessThan(1000 * Date.now() + 1000)
    }).pipe(Effect.runPromise), 20_000)

  it("waits for a disconnected line, and continues when it is back", () =>
    Effect.gen(function* () {
      const path = pipe("unplugged")
      const door = makeDoor()
      const losses = { faults: 0, overtakenFrames: 0 }
      const running = yield* Effect.forkDetach(
        Effect.scoped(runSerial({ path, routerId: "r" }, door.send, noProgress(), losses)),
      )
      const write = (text: string) => Effect.promise(() => writeFile(path, text))
      yield* write(lines(0, 2))
      yield* door.until(2)
      yield* Effect.promise(() => rm(path))
      pipe("unplugged")
      yield* write(lines(2, 4))
      yield* door.until(4)
      yield* Fiber.interrupt(running)
    }).pipe(Effect.runPromise), 20_000)

  it(
    "reads a file to its end at the pace of the device, and tells the last line if it is torn",
    () =>
      Effect.gen(function* () {
        yield* Effect.promise(() => writeFile(at("capture.csv"), lines(0, 60) + "CSI_DATA,AP"))
        const door = makeDoor()
        const late: Array<number> = []
        const send = (bytes: Uint8Array) =>
          Effect.tap(
            door.send(bytes),
            () => Effect.sync(() => late.push(1000 * Date.now() - timesOf(door.taken).at(-1)!)),
          )
        const losses = { faults: 0, overtakenFrames: 0 }
        yield* Effect.scoped(runSerial({ path: at("capture.csv"), routerId: "r" }, send, noProgress(), losses))
        expect(door.frames()).toBe(60)
        expect(losses).toEqual({ faults: 1, overtakenFrames: 0 })
        // No frame is sent before it is due.
        expect(Math.min(...late)).toBeGreaterThan(-2000)
        expect(timesOf(door.taken).at(-1)! - timesOf(door.taken)[0]!).toBeGreaterThan(580_000)
      }).pipe(Effect.runPromise),
    20_000,
  )

  it("drops the oldest batches when sending is slower than reading, and counts them", () =>
    Effect.gen(function* () {
      // A line of 306 bins fills most of a piece, so that there are nearly as many batches as lines.
      const text = Array.from({ length: 250 }, (_, i) => line(i / 100, 306)).join("")
      yield* Effect.promise(() => writeFile(at("fast.csv"), text))
      const door = makeDoor()
      const gate = yield* Deferred.make<void>()
      const losses = { faults: 0, overtakenFrames: 0 }
      const running = yield* Effect.forkDetach(Effect.scoped(runSerial(
        { path: at("fast.csv"), routerId: "r" },
        (bytes) => Effect.andThen(Deferred.await(gate), door.send(bytes)),
        noProgress(),
        losses,
      )))
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => losses.overtakenFrames > 20 }))
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(running)
      expect(door.frames() + losses.overtakenFrames).toBe(250)
      expect(door.taken.length).toBeGreaterThan(60)
    }).pipe(Effect.runPromise), 20_000)

  it.each([
    ["a path that leads nowhere", "missing", null, "cannot be read"],
    ["noise", "noise", "nothing of the kind\n".repeat(4000), "speed of the line"],
    ["silence", "empty", "", "0 bytes"],
    ["a file that must be read as a whole", "whole.npz", npzFile({ frames: 3, tones: 4 }), "wavepose replay"],
  ])("rejects %s", (_, name, content, message) =>
    Effect.gen(function* () {
      if (content !== null) yield* Effect.promise(() => writeFile(at(name), content))
      const options = { path: at(name), routerId: "r" }
      const run = runSerial(options, makeDoor().send, noProgress(), { faults: 0, overtakenFrames: 0 })
      const failure = yield* Effect.flip(Effect.scoped(run))
      expect(failure.message).toContain(message)
    }).pipe(Effect.runPromise))

  it("ends cleanly with Ctrl-C while nothing arrives", async () => {
    const main = fileURLToPath(new URL("../../../deploy/main.ts", import.meta.url))
    const runtime = "Deno" in globalThis ? ["run", "--quiet", "-A"] : []
    const path = pipe("quiet")
    const child = spawn(process.execPath, [
      ...runtime,
      main,
      "serial",
      path,
      "--router",
      "r",
      "--to",
      "grpc://127.0.0.1:1",
    ], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, WAVEPOSE_API_KEY: "k" },
    })
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
    let output = ""
    child.stderr.on("data", (bytes: Uint8Array) => {
      const before = output
      output += new TextDecoder().decode(bytes)
      if (output.includes("reading serial line") && !before.includes("reading serial line")) {
        process.kill(child.pid!, "SIGINT")
      }
    })
    const writer = await open(path, "w")
    await writer.write(lines(0, 2))
    expect(await ended).toBe(0)
    await writer.close()
    expect(output).not.toContain("ERROR")
  }, 30_000)
})
