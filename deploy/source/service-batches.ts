/**
 * The CSI batches of an environment of a running service, for a recording.
 *
 * Owns the stream (`CsiRecordingService.RecordCsi`), its resumption and the batches that wait for the file. Invariants: at most
 * `waitingBytesMax` wait, further batches are counted and dropped; times are of one clock, that of this machine, to whole hops.
 */
import * as grpc from "@grpc/grpc-js"
import { Clock, Deferred, Effect, Result, type Scope } from "effect"
import type { CsiBatch } from "../../core/formats/csi-batch.ts"
import { hopUs } from "../../core/observation/observation.ts"
import { channelCredentials, type ChannelTls, edgeOptions } from "../../gateways/grpc/client-credentials.ts"
import { createBatchDecoder } from "../../protocols/grpc/csi-batch.ts"
import { codecOf } from "../../protocols/grpc/contract/transcode.ts"
import { readRecordedCsi, type RecordedCsi } from "../../protocols/grpc/recorded-csi.ts"
import { csiRecordingService } from "../../protocols/grpc/services.ts"
import { endReason } from "../../gateways/grpc/connection-failure.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { ServiceSilent } from "../settings/service-silent.ts"
import type { LiveBatches } from "./live-batches.ts"

const waitingBytesMax = 64 * 1024 * 1024
/** A router's clock that differs by more is wrong: its times are moved. */
const clockErrorUsMax = 2_000_000
const backOffMs = 1_000

/** What is received, until the file takes it. */
class ServiceBatches implements LiveBatches {
  readonly frames = new Map<string, number>()
  readonly dropped = new Map<string, number>()
  readonly #decode = createBatchDecoder()
  /** By router: what is added to its times. */
  readonly #offsetsUs = new Map<string, number>()
  readonly #startUs: number
  #waiting: Array<CsiBatch> = []
  #waitingBytes = 0
  /** Counted by the streams before the current one, and by the current one. */
  #earlier = { lost: 0, interruptions: 0 }
  #current = { lost: 0, interruptions: 0 }

  constructor(startUs: number) {
    this.#startUs = startUs
  }

  add({ batch, interruptions, lostBatches }: RecordedCsi, nowUs: number): void {
    this.#current = { lost: lostBatches, interruptions }
    this.#count("slow-reader", this.#earlier.lost + lostBatches)
    this.#count("interruption", this.#earlier.interruptions + interruptions)
    if (batch === null) return
    const read = this.#decode(batch)
    if (Result.isFailure(read)) return this.#count("unreadable", (this.dropped.get("unreadable") ?? 0) + 1)
    const { csi, frameCount, routerId, timestampsUs } = read.success
    const offsetUs = this.#offsetOf(routerId, timestampsUs[0]!, nowUs)
    // Packets that were sent before the recording began.
    if (timestampsUs[0]! + offsetUs < this.#startUs) return
    if (this.#waitingBytes + csi.byteLength > waitingBytesMax) {
      return this.#count("disk-too-slow", (this.dropped.get("disk-too-slow") ?? 0) + 1)
    }
    this.#waitingBytes += csi.byteLength
    this.frames.set(routerId, (this.frames.get(routerId) ?? 0) + frameCount)
    const moved = offsetUs === 0 ? timestampsUs : timestampsUs.map((us) => us + offsetUs)
    this.#waiting.push({ ...read.success, timestampsUs: moved })
  }

  /** The stream ended and is opened again. */
  interrupted(): void {
    const { interruptions, lost } = this.#current
    this.#earlier = {
      lost: this.#earlier.lost + lost,
      interruptions: this.#earlier.interruptions + interruptions + 1,
    }
    this.#current = { lost: 0, interruptions: 0 }
    this.#count("interruption", this.#earlier.interruptions)
  }

  take(): ReadonlyArray<CsiBatch> {
    const taken = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    return taken
  }

  lossText(): ReadonlyArray<string> {
    return [...this.dropped].map(([reason, n]) =>
      reason === "interruption"
        ? `The stream was interrupted ${n} times; what was sent meanwhile is missing`
        : `${n} batches were dropped: ${reason}`
    )
  }

  #count(reason: string, count: number): void {
    if (count > 0) this.dropped.set(reason, count)
  }

  /** Whole hops, so that a replay cuts the packets into the same hops. */
  #offsetOf(routerId: string, firstUs: number, nowUs: number): number {
    const known = this.#offsetsUs.get(routerId)
    if (known !== undefined) return known
    const errorUs = nowUs - firstUs
    const offsetUs = Math.abs(errorUs) <= clockErrorUsMax ? 0 : Math.round(errorUs / hopUs) * hopUs
    this.#offsetsUs.set(routerId, offsetUs)
    return offsetUs
  }
}

interface ServiceSourceOptions<E> extends ChannelTls {
  /** `host:port` of the gRPC edge of a node. */
  readonly address: string
  /** Null: the only one of the service. */
  readonly environmentId: string | null
  /** Metadata that sign in; asked again for every stream, in its scope. */
  readonly signIn: Effect.Effect<Readonly<Record<string, string>>, E, Scope.Scope>
  /** Beginning of the recording, microseconds since the Unix epoch. */
  readonly startUs: number
}

interface ServiceSource<E> {
  readonly batches: LiveBatches
  readonly environmentId: string
  /** Takes nothing more. */
  readonly stop: () => void
  /** Fails when the service ends the recording for good. */
  readonly ended: Effect.Effect<never, E | InvalidCommand | ServiceSilent>
}

/** Ends after which the stream is opened again: the node stops or went away, or an access token is too old. */
const transient: ReadonlyArray<grpc.status> = [
  grpc.status.UNAVAILABLE,
  grpc.status.CANCELLED,
  grpc.status.UNAUTHENTICATED,
  grpc.status.INTERNAL,
]

/** Opens the stream; returns when the service copies the batches of every router. */
export const openServiceSource = Effect.fnUntraced(function* <E>(
  { address, environmentId, signIn, startUs, ...tls }: ServiceSourceOptions<E>,
): Effect.fn.Return<ServiceSource<E>, E | InvalidCommand | ServiceSilent, Scope.Scope> {
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new grpc.Client(address, channelCredentials(tls), edgeOptions)),
    (client) => Effect.sync(() => client.close()),
  )
  const clock = yield* Clock.Clock
  const batches = new ServiceBatches(startUs)
  const first = yield* Deferred.make<RecordedCsi, E | InvalidCommand | ServiceSilent>()
  const ended = yield* Deferred.make<never, E | InvalidCommand | ServiceSilent>()
  const request = codecOf("RecordCsiRequest").encode(environmentId === null ? {} : { environment_id: environmentId })

  let stopped = false
  const receive = (bytes: Uint8Array): void => {
    if (stopped) return
    const message = readRecordedCsi(bytes)
    if (Result.isFailure(message)) return
    if (message.success.batch === null) Deferred.doneUnsafe(first, Effect.succeed(message.success))
    batches.add(message.success, Number(clock.currentTimeNanosUnsafe() / 1000n))
  }

  const runStream = (headers: Readonly<Record<string, string>>) =>
    Effect.callback<grpc.StatusObject>((resume) => {
      const metadata = new grpc.Metadata()
      for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
      const { path, requestSerialize, responseDeserialize } = csiRecordingService.RecordCsi
      const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata)
      call.on("data", receive)
      call.on("error", () => {})
      call.on("status", (status: grpc.StatusObject) => resume(Effect.succeed(status)))
      return Effect.sync(() => call.cancel())
    })

  const stayConnected = Effect.gen(function* () {
    while (true) {
      const status = yield* Effect.scoped(Effect.flatMap(signIn, runStream))
      const reason = endReason(status)
      if (!Deferred.isDoneUnsafe(first) && status.code === grpc.status.UNAVAILABLE) {
        return yield* new ServiceSilent({
          message:
            `No service answers at grpc://${address}: ${reason}. Start one, or name its gRPC address with --grpc.`,
        })
      }
      if (!Deferred.isDoneUnsafe(first) || !transient.includes(status.code)) {
        return yield* new InvalidCommand({ message: `The service at ${address} ended the recording: ${reason}` })
      }
      batches.interrupted()
      yield* Effect.logWarning("the stream of CSI ended; opening it again", { address, reason })
      yield* Effect.sleep(backOffMs)
    }
  })
  yield* Effect.forkScoped(
    Effect.catch(
      stayConnected,
      (failure) => Effect.andThen(Deferred.fail(first, failure), Deferred.fail(ended, failure)),
    ),
  )
  const opened = yield* Deferred.await(first)
  return {
    batches,
    environmentId: opened.environmentId,
    stop: () => void (stopped = true),
    ended: Deferred.await(ended),
  }
})
