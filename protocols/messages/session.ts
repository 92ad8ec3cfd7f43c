/**
 * What the Session actor answers: the life of the estimation system. Address: always `sessionEntityId`.
 */
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { NeuralNetworkSettings } from "../domain/configuration.ts"
import {
  ActorUnavailable,
  StoreUnavailable,
  SystemConflict,
  UnknownEnvironment,
  UnknownModel,
  UnusableModel,
} from "../domain/failure.ts"
import { StartOptions, SystemSession } from "../domain/system.ts"
import { sensingGroup } from "./shard-groups.ts"

/** There is one session in a cluster. */
export const sessionEntityId = "system"

export const Status = Rpc.make("Status", { success: SystemSession })

/** Begins a start; refused with a conflict unless the system is stopped or in error. */
export const Start = Rpc.make("Start", {
  payload: StartOptions,
  success: SystemSession,
  error: Schema.Union([SystemConflict, UnknownEnvironment, UnknownModel, UnusableModel, StoreUnavailable]),
})

/** Begins a stop. `force` interrupts a start; `saveState` keeps what the routers have learned of the static channel. */
export const Stop = Rpc.make("Stop", {
  payload: { force: Schema.Boolean, saveState: Schema.Boolean },
  success: SystemSession,
  error: Schema.Union([SystemConflict, StoreUnavailable]),
})

/** Stops and starts again under a new session id. */
export const Restart = Rpc.make("Restart", {
  success: Schema.Struct({ previousSessionId: Schema.NullOr(Schema.String), session: SystemSession }),
  error: Schema.Union([SystemConflict, StoreUnavailable]),
})

/**
 * Changes the running system without a restart; refused with a conflict unless it runs. Answers when every environment has obeyed. When
 * one has not, all go on with what was before.
 */
export const Configure = Rpc.make("Configure", {
  payload: { neuralNetwork: NeuralNetworkSettings },
  success: SystemSession,
  error: Schema.Union([
    SystemConflict,
    UnknownModel,
    UnusableModel,
    UnknownEnvironment,
    StoreUnavailable,
    ActorUnavailable,
  ]),
})

export const Session = Entity.make("Session", [Status, Start, Stop, Restart, Configure])
  .annotate(ClusterSchema.ShardGroup, sensingGroup)
