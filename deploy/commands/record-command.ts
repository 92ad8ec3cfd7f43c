/**
 * `wavepose record`: records the datagrams of sensing nodes to a file, with labels that the user switches while it runs.
 *
 * Owns the socket and the pace of the writes. Boundary: `source/live-recording.ts` owns the file. Every line of stdin is the label of
 * what is in the room from then on.
 */
import { Clock, Effect, Queue } from "effect"
import type { Socket } from "node:dgram"
import { createInterface } from "node:readline"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { DatagramBatches } from "../source/datagram-batches.ts"
import { openLiveRecording } from "../source/live-recording.ts"
import { openUdpSender, openUdpSocket, type UdpAddress } from "../source/udp-socket.ts"
import { udpAddressOf } from "./udp-address.ts"
import { printResult } from "./output.ts"

export interface RecordOptions {
  readonly file: string
  /** `host:port` that the nodes send to. */
  readonly listen: string
  /** `host:port` that receives every datagram unchanged; null: none. */
  readonly forward: string | null
  readonly environmentId: string
  readonly label: string | null
  readonly note: string | null
  /** Null: until Ctrl-C. */
  readonly seconds: number | null
  readonly json: boolean
}

/** Interval of the writes: a process that is killed loses at most this much. */
const writeMs = 100
/** Interval of the progress. */
const reportMs = 1000
const labelsWaitingMax = 16
const labelCharactersMax = 100

const nowUs = Effect.map(Clock.Clock, (clock) => Number(clock.currentTimeNanosUnsafe() / 1000n))

/** Forwards the datagrams of a socket. A datagram that cannot be sent is lost, as on any network. */
const forwardTo = Effect.fnUntraced(function* (incoming: Socket, to: UdpAddress) {
  const outgoing = yield* openUdpSender(to)
  outgoing.on("error", () => {})
  incoming.on("message", (bytes) => outgoing.send(bytes, to.port, to.host))
})

/** The lines of stdin, at most `labelsWaitingMax` unread. The end of stdin ends nothing. */
const typedLabels = Effect.gen(function* () {
  const labels = yield* Queue.dropping<string>(labelsWaitingMax)
  const lines = createInterface({ input: process.stdin })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      lines.close()
      process.stdin.unref?.()
    })
  )
  lines.on("line", (line) => {
    const label = line.trim().slice(0, labelCharactersMax)
    if (label !== "") Queue.offerUnsafe(labels, label)
  })
  return labels
})

const secondsText = (us: number): string => `${Math.round(us / 1e6)} s`

/** Shows the rates of the last second on a terminal. */
const makeProgress = (batches: DatagramBatches) => {
  let before = new Map<string, number>()
  return (elapsedUs: number, label: string | null): void => {
    if (process.stderr.isTTY !== true) return
    const rates = [...batches.frames].map(([id, frames]) => `${id} ${frames - (before.get(id) ?? 0)}/s`)
    before = new Map(batches.frames)
    const heard = rates.length === 0 ? "no node is heard yet" : rates.join(", ")
    process.stderr.write(`\r\x1b[K${secondsText(elapsedUs)}  ${heard}  label: ${label ?? "none"}`)
  }
}

/** Records until `seconds` have passed or Ctrl-C. */
export const record = Effect.fnUntraced(function* (options: RecordOptions) {
  const listen = yield* udpAddressOf("--listen", options.listen)
  const forward = options.forward === null ? null : yield* udpAddressOf("--forward", options.forward)
  const startUs = yield* nowUs
  const batches = new DatagramBatches()
  const clock = yield* Clock.Clock
  const socket = yield* openUdpSocket(listen).pipe(
    Effect.mapError(({ message }) =>
      new InvalidCommand({
        message: `${message} A running service keeps its port: give it another WAVEPOSE_UDP_PORT, and add --forward.`,
      })
    ),
  )
  const recording = yield* openLiveRecording({ ...options, startUs })
  socket.on(
    "message",
    (bytes, { address }) => batches.add(bytes, address, Number(clock.currentTimeNanosUnsafe() / 1000n)),
  )
  if (forward !== null) yield* forwardTo(socket, forward)
  const labels = yield* typedLabels
  const { port } = socket.address()
  yield* Effect.logInfo("recording", { file: options.file, listen: `${listen.host}:${port}`, label: options.label })
  if (process.stderr.isTTY === true) {
    process.stderr.write("Type what is in the room and Enter (empty, walking, still ...); Ctrl-C ends the recording.\n")
  }
  const show = makeProgress(batches)
  const writing = Effect.gen(function* () {
    for (let ms = 0;; ms += writeMs) {
      yield* Effect.sleep(writeMs)
      const atUs = yield* nowUs
      for (const label of yield* Queue.clear(labels)) yield* recording.label(label, atUs)
      yield* recording.write(batches.take())
      if (ms % reportMs === 0) show(atUs - startUs, recording.labels().at(-1)?.label ?? null)
    }
  })
  const ended = options.seconds === null ? Effect.never : Effect.sleep(options.seconds * 1000)
  const finish = Effect.gen(function* () {
    // What arrives from now on would be counted and not written.
    socket.removeAllListeners("message")
    yield* recording.write(batches.take())
    yield* summarise(options, batches, recording, (yield* nowUs) - startUs)
  })
  // Ctrl-C interrupts; the recording is then completed and described.
  yield* Effect.onInterrupt(Effect.raceFirst(writing, ended), () => Effect.ignore(finish))
  yield* finish
}, Effect.scoped)

const summarise = (
  { file, json }: RecordOptions,
  { dropped, frames }: DatagramBatches,
  { bytes, labels }: { readonly bytes: () => number; readonly labels: () => ReadonlyArray<object> },
  elapsedUs: number,
) => {
  const total = [...frames.values()].reduce((sum, one) => sum + one, 0)
  const nodes = [...frames.keys()].join(", ") || "no node"
  const lost = [...dropped].map(([reason, n]) => `${n} datagrams were dropped: ${reason}`).join("; ")
  return printResult(
    json,
    {
      file,
      seconds: elapsedUs / 1e6,
      frames: Object.fromEntries(frames),
      labels: labels(),
      dropped: Object.fromEntries(dropped),
      bytes: bytes(),
    },
    `\n${total} CSI frames of ${nodes} in ${secondsText(elapsedUs)} are in ${file}.${lost === "" ? "" : ` ${lost}.`}` +
      `${total === 0 ? " Check the target address and port of the nodes." : ""}`,
  )
}
