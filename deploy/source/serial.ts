/**
 * A live router on a serial line or a pipe: `wavepose serial`.
 *
 * Owns the pipeline of the bytes: detect the format, decode, convert times to the host's clock, send. Boundary: `byte-stream.ts`
 * reads the bytes, `host-clock.ts` converts times, and batches are delivered like those of a played source.
 *
 * Invariants:
 * 1. Reading never waits for sending, because an unread line loses bytes. At most `waitingMax` batches wait; beyond that the
 *    oldest is dropped and counted.
 * 2. A damaged line is dropped alone, and counted.
 */
import { Clock, Effect, Queue, type Scope } from "effect"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { type CaptureDecoder, type DecodeResult, faultText, isWarning } from "../../core/formats/decoder.ts"
import { createCaptureDecoder, detectFormat, detectionBytes, isStreamable } from "../../core/formats/detect-format.ts"
import { type ByteStream, openByteStream, stdinName } from "./byte-stream.ts"
import { UnreadableRecording } from "./unreadable-recording.ts"
import { HostClock } from "./host-clock.ts"
import { lateMsMax, makeDelivery, type Send } from "./delivery.ts"
import type { Progress } from "./play.ts"

interface SerialOptions {
  /** A device, a pipe, or `-` for stdin. */
  readonly path: string
  readonly routerId: string
}

/** Counts of losses, updated while it runs. */
interface SerialLosses {
  /** Parts that could not be decoded. */
  faults: number
  /** Frames dropped because sending was slower than reading. */
  overtakenFrames: number
}

const waitingMax = 64
/** Faults that are logged; the others are only counted. */
const loggedMax = 10
/** The sender waits for frames that are due later than this. */
const aheadUsMin = 1000
/**
 * The longest wait, by what is read. A pipe may carry a device whose clock has jumped, and bytes are lost while it is not read, so a longer
 * silence is left out.
 */
const aheadUsMax = { device: 0, pipe: 5_000_000, file: Infinity } as const

/** Sends the CSI of a line until it ends. */
export const runSerial = Effect.fnUntraced(function* <F>(
  { path, routerId }: SerialOptions,
  send: Send<F>,
  progress: Progress,
  losses: SerialLosses,
): Effect.fn.Return<void, F | UnreadableRecording, Scope.Scope> {
  const stream = yield* openByteStream(path)
  const name = path === stdinName ? "stdin" : path
  /** Null marks the end. */
  const waiting = yield* Queue.unbounded<CsiBatch | null>()
  const offer = (batch: CsiBatch): void => {
    if (Queue.sizeUnsafe(waiting) >= waitingMax) {
      const oldest = Queue.takeUnsafe(waiting)
      if (oldest?._tag === "Success") losses.overtakenFrames += oldest.value?.frameCount ?? 0
    }
    Queue.offerUnsafe(waiting, batch)
  }
  const read = Effect.gen(function* () {
    const { decoder, head } = yield* begin(stream, name, routerId)
    yield* Effect.logInfo("reading serial line", { path: name, router_id: routerId })
    const accept = makeAcceptance(stream, name, offer, losses)
    for (let bytes: Uint8Array | null = head; bytes !== null; bytes = yield* stream.next) {
      yield* accept(decoder.push(bytes))
    }
    yield* accept(decoder.end())
    Queue.offerUnsafe(waiting, null)
  })
  const deliver = makeDelivery(send, progress, stream.kind === "device" ? lateMsMax : undefined)
  const deliverAll = Effect.gen(function* () {
    for (let batch = yield* Queue.take(waiting); batch !== null; batch = yield* Queue.take(waiting)) {
      yield* deliver(batch)
    }
  })
  yield* Effect.all([read, deliverAll], { concurrency: "unbounded", discard: true })
})

interface Beginning {
  readonly decoder: CaptureDecoder
  /** The bytes of the detection, not yet decoded. */
  readonly head: Uint8Array
}

/** Reads until the format is known. */
const begin = Effect.fnUntraced(function* (
  stream: ByteStream,
  name: string,
  routerId: string,
): Effect.fn.Return<Beginning, UnreadableRecording> {
  let head = new Uint8Array(0)
  while (head.length < detectionBytes) {
    const bytes: Uint8Array | null = yield* stream.next
    if (bytes === null) break
    const longer = new Uint8Array(head.length + bytes.length)
    longer.set(head)
    longer.set(bytes, head.length)
    head = longer
    const format = detectFormat(head)
    if (format === null) continue
    if (!isStreamable(format)) {
      const message = `"${name}" is a ${format} file, which cannot be streamed. Use: wavepose replay ${name}`
      return yield* new UnreadableRecording({ file: name, message })
    }
    return { decoder: createCaptureDecoder(format, { routerId, source: "live" }), head }
  }
  return yield* new UnreadableRecording({
    file: name,
    message:
      `"${name}" sent ${head.length} bytes without a record of a known format. Check what the device sends, and the speed of the ` +
      `line: stty -F ${name} <baud> raw`,
  })
})

/** Processes a decoded piece: converts the times of its batches, offers them, and counts the faults. */
const makeAcceptance = (
  stream: ByteStream,
  name: string,
  offer: (batch: CsiBatch) => void,
  losses: SerialLosses,
) => {
  const hostClock = new HostClock(aheadUsMax[stream.kind])
  return Effect.fnUntraced(function* ({ batches, faults, faultsOmitted }: DecodeResult) {
    for (const fault of faults.slice(0, Math.max(0, loggedMax - losses.faults))) {
      yield* Effect.logWarning(faultText(fault, "serial data"), { path: name, reason: fault.reason })
    }
    losses.faults += faults.filter((fault) => !isWarning(fault)).length + faultsOmitted
    if (batches.length === 0) return
    const newestUs = Math.max(...batches.map(({ timestampsUs }) => timestampsUs.at(-1)!))
    const clock = yield* Clock.Clock
    const nowUs = Number(clock.currentTimeNanosUnsafe() / 1000n)
    const offsetUs = hostClock.hear(newestUs, nowUs)
    const aheadUs = newestUs + offsetUs - nowUs
    // A pipe or a file may be ahead of its own times. It is sent at its own pace.
    if (aheadUs > aheadUsMin) yield* Effect.sleep(aheadUs / 1000)
    for (const batch of batches) offer({ ...batch, timestampsUs: batch.timestampsUs.map((us) => us + offsetUs) })
  })
}
