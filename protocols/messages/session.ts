/**
 * What the Session actor answers: the life of the estimation system, and its configuration. Address: always `sessionEntityId`.
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
 * Begins a start; refused with a conflict unless the system is stopped or in error. What it changes of the configuration is kept, as by
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

/** Begins a stop. `force` interrupts a start; `saveState` keeps what the routers have learned of the static channel. */
const Stop = Rpc.make("Stop", {
  payload: { force: Schema.Boolean, saveState: Schema.Boolean },
  success: SystemSession,
  error: Schema.Union([SystemConflict, StoreUnavailable]),
})

/** Stops and starts again under a new session id, with the configuration as it is then. */
const Restart = Rpc.make("Restart", {
  success: Schema.Struct({ previousSessionId: Schema.NullOr(Schema.String), session: SystemSession }),
  error: Schema.Union([SystemConflict, StoreUnavailable]),
})

/** The configuration and its revision, which counts up with every change. */
export const ConfigurationState = Schema.Struct({ revision: Schema.Int, configuration: ConfigurationValue })
export type ConfigurationState = typeof ConfigurationState.Type

const Configuration = Rpc.make("Configuration", { success: ConfigurationState })

/**
 * Changes the configuration. What can takes effect at once: it answers when every running environment has obeyed, and when one has not,
 * all go on with what was before. Refused with a conflict while the system starts or restarts; `ifRevision`, unless null, is the
 * revision that is changed, or nothing is.
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
    /** Those of them that a restart of the running system waits for. */
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
