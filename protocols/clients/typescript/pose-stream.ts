/**
 * Pose frames over the WebSocket, with every frame once and in order although connections fail.
 *
 * Invariants: after a lost connection, the stream continues after the last frame of each environment that it has seen. At most `queueMax`
 * frames wait for a slow reader; then the connection is closed, and opened again when the reader has caught up.
 */
import type { ClientOptions } from "./client.ts"
import { identitiesOf, type Identity } from "./credentials.ts"
import type { Form, Schema } from "./form.ts"
import { connect, type Connection } from "./connection.ts"
import { WaveposeError } from "./error.ts"
import { reconnecting, type RetryOptions } from "./reconnect.ts"

/** A pose frame of an environment. */
export interface PoseUpdate<F extends Form> {
  readonly type: "pose_update"
  readonly subscription_id: string
  /** Number of frames that the service dropped before this one. They are fetched: here it is always 0. */
  readonly dropped: number
  readonly timestamp: string
  readonly environment_id: string
  readonly data: Omit<Schema<F, "PoseFrame">, "timestamp" | "processing_time_ms">
}

export interface PoseFilters {
  /** Default: all environments. */
  readonly environment_id?: string
  /** Stored frames after this one come first. Needs `environment_id`. */
  readonly after_frame_id?: number
  /** By environment: stored frames after this one come first. Without `environment_id`. */
  readonly after_frame_ids?: Readonly<Record<string, number>>
  readonly min_confidence?: number
  readonly person_ids?: ReadonlyArray<number>
  readonly include_keypoints?: boolean
  readonly include_dense_pose?: boolean
  readonly include_3d?: boolean
}

export interface StreamOptions extends RetryOptions {
  /** Frames that may wait for the reader; default 1000. */
  readonly queueMax?: number
  readonly WebSocket?: typeof globalThis.WebSocket
}

const queueMaxDefault = 1000

/** The filters of the subscription that continues after the last frames seen. */
const resuming = (filters: PoseFilters, seen: ReadonlyMap<string, number>): PoseFilters => {
  if (filters.environment_id === undefined) {
    return seen.size === 0 ? filters : { ...filters, after_frame_ids: Object.fromEntries(seen) }
  }
  const last = seen.get(filters.environment_id)
  return last === undefined ? filters : { ...filters, after_frame_id: last }
}

/** The frames of one connection after the last ones seen; ends when the connection does. */
async function* framesOf<F extends Form>(
  connection: Connection,
  filters: PoseFilters,
  seen: Map<string, number>,
): AsyncGenerator<PoseUpdate<F>> {
  const applied = await connection.subscribe("pose_updates", filters)
  if (filters.after_frame_ids !== undefined && !("after_frame_ids" in applied)) {
    const message = "The service is older than this client: it cannot continue the streams of all environments."
    throw new WaveposeError(message, { status: 422, code: "RESUME_UNSUPPORTED" })
  }
  for await (const message of connection.messages) {
    if (message["type"] === "error" && "subscription_id" in message) throw connection.failureOf(message)
    if (message["type"] !== "pose_update") continue
    const update = message as unknown as PoseUpdate<F>
    const last = seen.get(update.environment_id)
    if (last !== undefined && update.data.frame_id <= last) continue
    // The service dropped frames, perhaps of another environment, because they were read slowly: the next connection fetches them.
    if (update.dropped > 0 && seen.size > 0) return
    seen.set(update.environment_id, update.data.frame_id)
    yield update
  }
}

/**
 * The pose frames of an environment, or of all. The iterator ends when `signal` is aborted, and throws a `WaveposeError` if the service rejects
 * the credentials or the filters; every other failure leads to another attempt.
 */
export const poseStream = <F extends Form>(
  options: ClientOptions<F>,
  filters: PoseFilters = {},
  stream: StreamOptions = {},
): AsyncGenerator<PoseUpdate<F>, void> => {
  const seen = new Map(Object.entries(filters.after_frame_ids ?? {}))
  const identities = identitiesOf(options)
  let identity: Identity = {}
  return reconnecting(
    async function* () {
      identity = await identities.next()
      const connection = await connect(options, identity, {
        queueMax: stream.queueMax ?? queueMaxDefault,
        signal: stream.signal,
        WebSocket: stream.WebSocket,
      })
      try {
        yield* framesOf<F>(connection, resuming(filters, seen), seen)
      } finally {
        connection.close()
      }
    },
    () => identities.reject(identity),
    stream,
  )
}
