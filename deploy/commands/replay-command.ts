/**
 * `wavepose replay` and `serial`, and the parts that `sim run` shares: a source in a process of its own, which sends over gRPC like a
 * router.
 */
import { Clock, Effect } from "effect"
import type { Destination } from "../settings/destination.ts"
import { readConnection } from "./grpc-edge.ts"
import { connectIngest } from "../source/ingest-client.ts"
import { type HopSource, noProgress, play, type Progress } from "../source/play.ts"
import { openReplay } from "../source/replay.ts"
import { runSerial } from "../source/serial.ts"

/** Connects to `grpc://host:port` with the API key of the process environment. */
const connect = Effect.fnUntraced(function* ({ to, ...files }: Destination) {
  return yield* connectIngest(yield* readConnection("--to", to, "operator", files))
})

/** Logs the progress of a source at the time when it runs. */
const report = (progress: Progress) => Effect.suspend(() => Effect.logInfo("sent so far", { ...progress }))

/** Sends a source to a service until the source ends. */
export const sendAll = Effect.fnUntraced(function* <E>(
  source: HopSource<E>,
  startMs: number,
  options: Destination & {
    /** Event seconds per second; null sends as fast as the service accepts. */
    readonly speed: number | null
  },
) {
  const send = yield* connect(options)
  const progress = noProgress()
  yield* report(progress).pipe(Effect.delay("30 seconds"), Effect.forever, Effect.forkScoped)
  yield* play(source, send, { startMs, speed: options.speed, progress })
  yield* report(progress)
})

/** Time of the next whole hop: the hops of a source coincide with those of the service. */
export const nextHopMs = Effect.map(Clock.currentTimeMillis, (nowMs) => Math.ceil(nowMs / 100) * 100)

export const playReplay = Effect.fnUntraced(function* (
  options: {
    readonly files: ReadonlyArray<string>
    readonly loop: boolean
    readonly rateHz: number | null
    readonly speed: number
  } & Destination,
) {
  const startMs = yield* nextHopMs
  const replay = yield* openReplay({ ...options, startMs })
  yield* sendAll(replay, startMs, options)
  yield* Effect.logInfo("recordings ended", { faults: replay.faults() })
}, Effect.scoped)

export const playSerial = Effect.fnUntraced(function* (
  options: {
    readonly path: string
    readonly routerId: string
  } & Destination,
) {
  const send = yield* connect(options)
  const progress = noProgress()
  const losses = { faults: 0, overtakenFrames: 0 }
  const reportAll = Effect.suspend(() => Effect.logInfo("sent so far", { ...progress, ...losses }))
  yield* reportAll.pipe(Effect.delay("30 seconds"), Effect.forever, Effect.forkScoped)
  yield* Effect.ensuring(runSerial(options, send, progress, losses), reportAll)
}, Effect.scoped)
