/**
 * The system session: the life cycle of the estimation system, its steps, and the data of its status.
 */
import { Schema } from "effect"
import { efforts } from "../../core/pace/effort.ts"
import { Configuration, ConfigurationChanges, defaultConfiguration } from "./configuration.ts"
import { Source } from "./provenance.ts"
import { Identifier } from "./site.ts"

export const SystemStatusValue = Schema.Literals([
  "stopped",
  "starting",
  "running",
  "stopping",
  "restarting",
  "error",
])
export type SystemStatusValue = typeof SystemStatusValue.Type

export const StepStatus = Schema.Literals(["pending", "in_progress", "completed", "failed"])
export type StepStatus = typeof StepStatus.Type

/** One step of a start or a stop; progress is 0..1. */
export const Step = Schema.Struct({ step: Schema.String, status: StepStatus, progress: Schema.Number })
export type Step = typeof Step.Type

/** The configuration of a session, and the options of its start. */
export const StartOptions = Schema.Struct({ ...Configuration.fields, calibrationRequired: Schema.Boolean })
export type StartOptions = typeof StartOptions.Type

export const defaultStartOptions: StartOptions = { ...defaultConfiguration, calibrationRequired: false }

/** The author of a configuration change; `node` is a process at its own start. */
export const ChangedBy = Schema.Struct({
  kind: Schema.Literals(["user", "apiKey", "node"]),
  id: Schema.String,
  name: Schema.String,
})
export type ChangedBy = typeof ChangedBy.Type

/** The request of a start: changes of the configuration, which persist, and options of this start. */
export const StartRequest = Schema.Struct({
  ...ConfigurationChanges.fields,
  calibrationRequired: Schema.optionalKey(Schema.Boolean),
  by: Schema.optionalKey(ChangedBy),
})
export type StartRequest = typeof StartRequest.Type

/** The persisted state of the session. Times are milliseconds since the Unix epoch. */
export const SystemSession = Schema.Struct({
  status: SystemStatusValue,
  /** Null before the first start. */
  sessionId: Schema.NullOr(Schema.String),
  startedAtMs: Schema.NullOr(Schema.Number),
  /** The expected end of the current transition; null if there is none. */
  estimatedReadyMs: Schema.NullOr(Schema.Number),
  steps: Schema.Array(Step),
  options: StartOptions,
  /** The reason for the status `error`; else null. */
  failure: Schema.NullOr(Schema.String),
})
export type SystemSession = typeof SystemSession.Type

/** The activity of one environment, for status answers. Null where nothing has been measured. */
export const EnvironmentStatus = Schema.Struct({
  environmentId: Identifier,
  active: Schema.Boolean,
  routers: Schema.Int,
  streamingRouters: Schema.Int,
  dataRateHz: Schema.NullOr(Schema.Number),
  packetLoss: Schema.NullOr(Schema.Number),
  rssiDbm: Schema.NullOr(Schema.Number),
  lastPacketMs: Schema.NullOr(Schema.Number),
  framesProcessed: Schema.Int,
  framesPerSecond: Schema.NullOr(Schema.Number),
  averageLatencyMs: Schema.NullOr(Schema.Number),
  /** Age of the newest frame, which decides its lateness; null if the session has none. */
  frameAgeMs: Schema.NullOr(Schema.Number),
  /** Age of the newest hop that its routers completed, by the same clock; null before the first. */
  observationAgeMs: Schema.NullOr(Schema.Number),
  /** Frames that wait for the store. */
  framesWaiting: Schema.Int,
  /** What it leaves out to stay in real time; see `core/pace`. */
  pace: Schema.Struct({
    effort: Schema.Literals(efforts),
    /** Hops that were not estimated, since the start of the environment's actor. */
    shedHops: Schema.Int,
    /** Hops that its routers left out, because they came late. */
    routerHops: Schema.Int,
    /** Hops that its simulation left out. */
    missedHops: Schema.Int,
    /** Whether something was left out in the last ten seconds. */
    sheds: Schema.Boolean,
  }),
  /** Source of the newest frame; null without one. */
  source: Schema.NullOr(Source),
  /** The pose network's weights; null where there are none. */
  modelVersion: Schema.NullOr(Schema.String),
  /** Time that the pose network needed for the last hop with persons. */
  inferenceTimeMs: Schema.NullOr(Schema.Number),
  /** Null while the environment does not count persons: too few links locate them, or nothing streams. */
  activeTracks: Schema.NullOr(Schema.Int),
  trackQuality: Schema.NullOr(Schema.Number),
  /** What the static paths say about antennas and geometry; see `core/imaging/array-watch.ts`. */
  arrays: Schema.Struct({
    stopped: Schema.NullOr(Schema.String),
    misplaced: Schema.Array(Schema.String),
    uncalibrated: Schema.Array(Schema.String),
    selfCalibrated: Schema.Array(Schema.String),
  }),
  /** Why there are no frames, for the operator; null if there are frames. */
  noFramesReason: Schema.NullOr(Schema.String),
})
export type EnvironmentStatus = typeof EnvironmentStatus.Type
