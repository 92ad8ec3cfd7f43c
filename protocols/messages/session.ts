/**
 * The messages of the Session actor: the life cycle of the estimation system, and its configuration. Entity id: always `sessionEntityId`.
 */
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Configuration as ConfigurationValue, ConfigurationChanges } from "../domain/configuration.ts"
import { ConfigurationMoved, InvalidConfiguration } from "../domain/configuration-change.ts"
import {
  ActorUnavailable,
  StoreUnavailable,
  SystemConflict,
  UnknownEnvironment,
  UnknownModel,
  UnusableModel,
} from "../domain/failure.ts"
import { ChangedBy, StartRequest, SystemSession } from "../domain/system.ts"
import { sensingGroup } from "./shard-groups.ts"

/** There is one session in a cluster. */
export const sessionEntityId = "system"

const Status = Rpc.make("Status", { success: SystemSession })

/**
 * Begins a start; fails with a conflict unless the system is stopped or in error. Its changes of the configuration are kept, as with
 * `Configure`.
 */
const Start = Rpc.make("Start", {
  payload: StartRequest,
  success: SystemSession,
  error: Schema.Union([
    SystemConflict,
    InvalidConfiguration,
    UnknownEnvironment,
    UnknownModel,
    UnusableModel,
    StoreUnavailable,
  ]),
})

/** Begins a stop. `force` interrupts a start; `saveState` saves the static channel that the routers have learned. */
const Stop = Rpc.make("Stop", {
  payload: { force: Schema.Boolean, saveState: Schema.Boolean },
  success: SystemSession,
  error: Schema.Union([SystemConflict, StoreUnavailable]),
})

/** Stops and starts again under a new session id, with the current configuration. */
const Restart = Rpc.make("Restart", {
  success: Schema.Struct({ previousSessionId: Schema.NullOr(Schema.String), session: SystemSession }),
  error: Schema.Union([SystemConflict, StoreUnavailable]),
})

/** The configuration and its revision, which increases by one with every change. */
export const ConfigurationState = Schema.Struct({ revision: Schema.Int, configuration: ConfigurationValue })
export type ConfigurationState = typeof ConfigurationState.Type

const Configuration = Rpc.make("Configuration", { success: ConfigurationState })

/**
 * Changes the configuration. Settings that need no restart take effect at once: the answer comes when every running environment has
 * applied them. If one fails, all environments return to the previous configuration. Fails with a conflict while the system starts or
 * restarts, and, where `ifRevision` is not null, unless it is the current revision.
 */
export const Configure = Rpc.make("Configure", {
  payload: {
    changes: ConfigurationChanges,
    by: ChangedBy,
    ifRevision: Schema.NullOr(Schema.Int),
  },
  success: Schema.Struct({
    ...ConfigurationState.fields,
    /** Settings that differ from before. */
    changed: Schema.Array(Schema.String),
    /** Changed settings that take effect with the next restart of the running system. */
    restartRequired: Schema.Array(Schema.String),
    atMs: Schema.Number,
  }),
  error: Schema.Union([
    SystemConflict,
    ConfigurationMoved,
    InvalidConfiguration,
    UnknownModel,
    UnusableModel,
    UnknownEnvironment,
    StoreUnavailable,
    ActorUnavailable,
  ]),
})
export type Configured = typeof Configure.successSchema.Type

export const Session = Entity.make("Session", [Status, Start, Stop, Restart, Configuration, Configure])
  .annotate(ClusterSchema.ShardGroup, sensingGroup)
