import { Effect } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Fault } from "../../../core/formats/decoder.ts"
import { openCapture, readRecordedHeader } from "../../../deploy/source/capture.ts"
import { type Read, unpack } from "../../../deploy/source/unpacked.ts"
import { UnreadableRecording } from "../../../deploy/source/unreadable-recording.ts"
import { matFile, matNumbers } from "../../core/formats/mat-files.ts"
import { consoleLine, numberedBins } from "../../core/formats/esp32-lines.ts"

const lines = (count: number): string => `${consoleLine(numberedBins(64), 0)}\n`.repeat(count)

/** Frames and faults of a capture, read to its end. */
const readAll = (file: string, rateHz: number | null = null) =>
  Effect.gen(function* () {
    const capture = yield* openCapture(file, { routerId: "r1", source: "replay" }, { rateHz })
    const faults: Array<Fault> = []
    let frames = 0
    for (let result = yield* capture.next; result !== null; result = yield* capture.next) {
      for (const { frameCount } of result.batches) frames += frameCount
      faults.push(...result.faults)
    }
    return { format: capture.format, frames, faults, share: capture.share() }
  }).pipe(Effect.scoped)

/** The bytes in pieces, and then none. */
const readOf = (bytes: Uint8Array, pieceBytes: number): Read => {
  let at = 0
  return Effect.sync(() => bytes.subarray(at, at += pieceBytes))
}

const contentOf = (
  bytes: Uint8Array,
  { bytesMax, pieceBytes = 1000 }: { bytesMax?: number; pieceBytes?: number } = {},
) =>
  Effect.gen(function* () {
    const { fault, read } = yield* unpack(readOf(bytes, pieceBytes), bytesMax)
    let length = 0
    for (let piece = yield* read; piece.length > 0; piece = yield* read) length += piece.length
    return { length, fault: fault() }
  }).pipe(Effect.scoped, Effect.runPromise)

describe("a capture packed with gzip", () => {
  let folder = ""
  const written = async (name: string, bytes: Uint8Array | string): Promise<string> => {
    const file = join(folder, name)
    await writeFile(file, bytes)
    return file
  }
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "capture-"))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it("without times has those of the rate that is given", async () => {
    const csi = matNumbers("csi", [4, 2], [1, 2, 3, 4, 5, 6, 7, 8])
    const file = await written("csi.mat.gz", gzipSync(matFile([csi])))
    expect(await Effect.runPromise(readAll(file, 50))).toMatchObject({ frames: 4, faults: [] })
    expect(await Effect.runPromise(readAll(file))).toMatchObject({
      frames: 0,
      faults: [{ message: expect.stringContaining("no times: give --rate") }],
    })
  })

  it("with times is not read at a rate that is given", async () => {
    const file = await written("timed.csv", lines(3))
    expect(await Effect.runPromise(Effect.flip(readAll(file, 50)))).toMatchObject({
      message: expect.stringMatching(/timed\.csv" has times, so --rate has no effect\. Leave it out/),
    })
  })

  it("is read like the capture itself, whatever its name", async () => {
    const plain = await Effect.runPromise(readAll(await written("room.csv", lines(1000))))
    expect(plain).toEqual({ format: "esp32-csi-tool", frames: 1000, faults: [], share: 1 })
    for (const name of ["room.csv.gz", "room"]) {
      expect(await Effect.runPromise(readAll(await written(name, gzipSync(lines(1000)))))).toEqual(plain)
    }
  })

  it("is read to its end if it was cut, or as far as it is not damaged", async () => {
    const bytes = gzipSync(lines(1000))
    const cut = await Effect.runPromise(readAll(await written("cut.gz", bytes.subarray(0, bytes.length - 20))))
    expect(cut.frames).toBeGreaterThan(500)
    const damaged = bytes.slice()
    damaged[bytes.length - 6]! ^= 1
    const { faults, frames } = await Effect.runPromise(readAll(await written("damaged.gz", damaged)))
    expect(frames).toBeGreaterThan(500)
    expect(faults.at(-1)).toMatchObject({ message: expect.stringMatching(/gzip file is damaged: /) })
  })

  it("is refused like its content, and if nothing can be unpacked", async () => {
    const notes = await written("notes.gz", gzipSync("bread, milk\n"))
    const broken = await written("broken.gz", Uint8Array.of(0x1f, 0x8b, 8, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9))
    const none = await written("none.gz", gzipSync(""))
    for (
      const [file, message] of [[notes, /it is text/], [broken, /no record|is empty/], [none, /is empty/]] as const
    ) {
      for (const use of [readAll(file), readRecordedHeader(file)]) {
        expect((await Effect.runPromise(Effect.flip(use as typeof use & ReturnType<typeof readAll>))).message).toMatch(
          message,
        )
      }
    }
  })

  it("is unpacked in pieces of any length", async () => {
    const bytes = gzipSync(new Uint8Array(1_000_000))
    for (const pieceBytes of [1, 7, 100_000]) {
      expect(await contentOf(bytes, { pieceBytes })).toEqual({ length: 1_000_000, fault: null })
    }
    const joined = Buffer.concat([bytes, gzipSync("abc")])
    expect(await contentOf(joined)).toEqual({ length: 1_000_003, fault: null })
  })

  it("stops at the bound, and at an error of the file", async () => {
    const bytes = gzipSync(new Uint8Array(1_000_000))
    const unreadable = new UnreadableRecording({ file: "a.gz", message: "unplugged" })
    let reads = 0
    const broken = Effect.suspend(() => reads++ === 0 ? Effect.succeed(gzipSync("abc")) : Effect.fail(unreadable))
    const failure = Effect.gen(function* () {
      const { read } = yield* unpack(broken)
      while ((yield* read).length > 0);
    }).pipe(Effect.scoped, Effect.flip)
    expect(await Effect.runPromise(failure)).toBe(unreadable)
    const { fault, length } = await contentOf(bytes, { bytesMax: 200_000 })
    expect(length).toBeLessThanOrEqual(200_000)
    expect(fault).toMatchObject({ offset: length, reason: "too-long", message: expect.stringMatching(/Unpack it/) })
  })
})
