/**
 * The messages of the Environment actor of one environment. Entity id: the environment id.
 */
import { Context, Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import type { Observation } from "../../core/observation/observation.ts"
import { efforts } from "../../core/pace/effort.ts"
import { Alert } from "../domain/event.ts"
import {
  NoFrames,
  StoreUnavailable,
  SystemNotRunning,
  UnknownEnvironment,
  UnknownModel,
  UnusableModel,
} from "../domain/failure.ts"
import { EnvironmentStatus, StartOptions } from "../domain/system.ts"
import { TrackRecord } from "../domain/track.ts"
import { RoomReading } from "./edge-node.ts"
import type { LocalCall, LocalCalls } from "./local-calls.ts"
import { sensingGroup } from "./shard-groups.ts"

/** An environment reads its site from the store when it is opened. */
const notOpened = [UnknownEnvironment, StoreUnavailable] as const

/**
 * Takes encoded observations (`protocols/grpc/observation.ts`) of one router. `active` false: the system does not run. `room` is the newest
 * reading of the room, for the router's edge node; null where persons are not counted.
 */
const Observe = Rpc.make("Observe", {
  payload: { observations: Schema.Array(Schema.Uint8Array) },
  success: Schema.Struct({
    active: Schema.Boolean,
    room: Schema.NullOr(RoomReading),
    /** The effort that the environment's routers shall spend on spectra. */
    effort: Schema.Literals(efforts),
  }),
  error: Schema.Union(notOpened),
})

/**
 * Starts making frames for this session. The same session again applies its options between two hops, and keeps everything else. A model
 * that cannot be loaded changes nothing.
 */
const Activate = Rpc.make("Activate", {
  payload: { sessionId: Schema.String, options: StartOptions },
  error: Schema.Union([...notOpened, UnknownModel, UnusableModel]),
})

/**
 * The environment was changed in the store: reads it again and continues its session with it. Tracks end if the geometry has changed;
 * incidents continue.
 */
const Reload = Rpc.make("Reload", { error: Schema.Union(notOpened) })

/** Stops making frames and ends the tracks. */
const Deactivate = Rpc.make("Deactivate", { error: Schema.Union(notOpened) })

/** The newest frame, encoded (`protocols/grpc/pose-frame.ts`). */
const Latest = Rpc.make("Latest", {
  success: Schema.Uint8Array,
  error: Schema.Union([...notOpened, NoFrames, SystemNotRunning]),
})

/** Every frame from now on, encoded, each after it is stored; for a slow reader the oldest are dropped first. */
const Watch = Rpc.make("Watch", { success: Schema.Uint8Array, error: Schema.Union(notOpened), stream: true })
  .annotate(ClusterSchema.InterruptOnTermination, true)

/**
 * The alerts that are not cleared and the newest that are, then every alert as it is raised and changes. Null is a heartbeat, a few
 * seconds after the last element. Alerts do not wait for the store.
 */
const WatchAlerts = Rpc.make("WatchAlerts", {
  success: Schema.NullOr(Alert),
  error: Schema.Union(notOpened),
  stream: true,
}).annotate(ClusterSchema.InterruptOnTermination, true)

/** Acknowledges an open alert. `acknowledged` false: there is no open alert of this id. */
const Acknowledge = Rpc.make("Acknowledge", {
  payload: { alertId: Schema.String, by: Schema.String },
  success: Schema.Struct({ acknowledged: Schema.Boolean }),
  error: Schema.Union(notOpened),
})

/** The record of a current track, or of one of the last that ended in this session; else null. */
const Track = Rpc.make("Track", {
  payload: { trackId: Schema.Int },
  success: Schema.NullOr(TrackRecord),
  error: Schema.Union(notOpened),
})

/** The tracks of the persons who are seen now, or were lost a moment ago, without their trajectories. */
const Tracks = Rpc.make("Tracks", { success: Schema.Array(TrackRecord), error: Schema.Union(notOpened) })

const Describe = Rpc.make("Describe", { success: EnvironmentStatus, error: Schema.Union(notOpened) })

export const Environment = Entity.make("Environment", [
  Observe,
  Activate,
  Reload,
  Deactivate,
  Latest,
  Watch,
  WatchAlerts,
  Acknowledge,
  Track,
  Tracks,
  Describe,
])
  .annotate(ClusterSchema.ShardGroup, sensingGroup)

/** Takes observations as the message `Observe` does: objects, or encoded. */
export type ObserveCall = LocalCall<
  ReadonlyArray<Observation | Uint8Array>,
  typeof Observe.successSchema.Type,
  typeof Observe.errorSchema.Type
>

/** The Environment actors of this node. */
export class LocalEnvironments
  extends Context.Service<LocalEnvironments, LocalCalls<ObserveCall>>()("wavepose/protocols/LocalEnvironments") {}
