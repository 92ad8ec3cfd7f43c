/**
 * Endpoints of the group System control.
 */
import { Schema } from "effect"
import { DomainName, ModelVersion, settingSchemas } from "../domain/configuration.ts"
import { Identifier } from "../domain/site.ts"
import { type StartOptions, type StartRequest, Step, type SystemSession, SystemStatusValue } from "../domain/system.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Fraction, NullableFinite, NullableString } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"
import { bareStatusCodec, envelopeStatusCodec } from "./system-status.ts"

const group = "System control"

export const systemStatus = endpoint({
  method: "GET",
  path: "/system/status",
  group,
  summary: "Get the status of the system and its components",
  access: "read:system",
  category: "health",
  status: 200,
  response: { bare: bareStatusCodec, envelope: envelopeStatusCodec },
  failures: ["StoreUnavailable", "ActorUnavailable", "AnswerTimeout"],
})

/** A start request of either form: the fields of the bare form, and the two groups of settings of the envelope form. */
const StartBody = Schema.Struct({
  configuration: Schema.optionalKey(Schema.Struct({
    domain: Schema.optionalKey(DomainName),
    environment_id: Schema.optionalKey(
      Identifier.annotate({ description: "The environment to run. Default: all environments with routers." }),
    ),
    calibration_required: Schema.optionalKey(Schema.Boolean),
    detection_settings: Schema.optionalKey(Schema.Struct({
      confidence_threshold: Schema.optionalKey(settingSchemas.detection.confidenceThreshold),
      max_persons: Schema.optionalKey(settingSchemas.detection.maxPersons),
      enable_tracking: Schema.optionalKey(settingSchemas.detection.enableTracking),
      tracking_max_age: Schema.optionalKey(
        settingSchemas.detection.trackingMaxAgeFrames.annotate({
          description: "Consecutive frames (100 ms each) without a detection after which a track ends.",
        }),
      ),
      tracking_min_hits: Schema.optionalKey(
        settingSchemas.detection.trackingMinHits.annotate({
          description: "Frames with a detection, including the first, after which a track is reported as a person.",
        }),
      ),
    })),
    neural_network: Schema.optionalKey(Schema.Struct({
      model_version: Schema.optionalKey(
        ModelVersion.annotate({
          description: "Version of the pose network, as named in its file of weights. Default: as configured.",
        }),
      ),
    })),
    hardware_settings: Schema.optionalKey(Schema.Struct({
      csi_sampling_rate: Schema.optionalKey(
        Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({
          description: "Not applied: routers define their packet rate.",
        }),
      ),
      buffer_size: Schema.optionalKey(
        settingSchemas.hardware.bufferSizeFrames.annotate({
          description: "Frames (100 ms each) that an environment buffers while the store is unavailable.",
        }),
      ),
    })),
  })),
})

/** The fields of a group that were given, by their own names. */
const given = <A extends object>(fields: { readonly [K in keyof A]: A[K] | undefined }): A =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as A

/** The settings of a start. Absent settings are as configured. */
export const startRequestOf = ({ configuration = {} }: typeof StartBody.Type): StartRequest => {
  const { detection_settings: detection = {}, hardware_settings: hardware = {} } = configuration
  return given<StartRequest>({
    domain: configuration.domain,
    environmentId: configuration.environment_id,
    calibrationRequired: configuration.calibration_required,
    by: undefined,
    detection: given<NonNullable<StartRequest["detection"]>>({
      confidenceThreshold: detection.confidence_threshold,
      maxPersons: detection.max_persons,
      enableTracking: detection.enable_tracking,
      trackingMaxAgeFrames: detection.tracking_max_age,
      trackingMinHits: detection.tracking_min_hits,
    }),
    neuralNetwork: given<NonNullable<StartRequest["neuralNetwork"]>>({
      modelVersion: configuration.neural_network?.model_version,
      batchSize: undefined,
      enableGpu: undefined,
      inferenceTimeoutS: undefined,
    }),
    hardware: given<NonNullable<StartRequest["hardware"]>>({ bufferSizeFrames: hardware.buffer_size }),
    alerts: undefined,
    streaming: undefined,
    privacy: undefined,
  })
}

/** The settings of a start that cannot be applied: the service cannot set the packet rate of a router. */
export const notAppliedOf = ({ configuration = {} }: typeof StartBody.Type): ReadonlyArray<string> =>
  configuration.hardware_settings?.csi_sampling_rate === undefined ? [] : ["hardware_settings.csi_sampling_rate"]

const Steps = Schema.Array(
  Schema.Struct({ step: Step.fields.step, status: Step.fields.status, progress: Fraction }),
)

/** Seconds until the expected end of the current transition; null if unknown. */
const secondsLeft = ({ estimatedReadyMs }: SystemSession, nowMs: number): number | null =>
  estimatedReadyMs === null ? null : Math.max(0, Math.round(estimatedReadyMs - nowMs) / 1000)

/** A start in progress, and its settings that are not applied. */
interface Started {
  readonly session: SystemSession
  readonly notApplied: ReadonlyArray<string>
}

const configurationBody = (
  { calibrationRequired, detection, domain, environmentId, hardware, neuralNetwork }: StartOptions,
  notApplied: ReadonlyArray<string>,
) => ({
  domain,
  environment_id: environmentId,
  calibration_required: calibrationRequired,
  detection_settings: {
    confidence_threshold: detection.confidenceThreshold,
    max_persons: detection.maxPersons,
    enable_tracking: detection.enableTracking,
    tracking_max_age: detection.trackingMaxAgeFrames,
    tracking_min_hits: detection.trackingMinHits,
  },
  neural_network: { model_version: neuralNetwork.modelVersion },
  hardware_settings: { csi_sampling_rate: null, buffer_size: hardware.bufferSizeFrames },
  not_applied: notApplied,
})

export const startSystem = endpoint({
  method: "POST",
  path: "/system/start",
  group,
  summary: "Start pose estimation. Its settings are saved in the configuration",
  access: "write:configuration",
  category: "configuration",
  body: { schema: StartBody, required: false },
  status: 202,
  response: {
    bare: jsonCodec(
      Schema.Struct({
        status: SystemStatusValue,
        estimated_ready_time: Schema.NullOr(IsoTime),
        initialization_steps: Steps,
      }),
      ({ session: { status, estimatedReadyMs, steps } }: Started) => ({
        status,
        estimated_ready_time: isoTimeOrNull(estimatedReadyMs),
        initialization_steps: steps,
      }),
    ),
    envelope: jsonCodec(
      Schema.Struct({
        status: SystemStatusValue,
        session_id: NullableString,
        estimated_startup_time: NullableFinite.annotate({ description: "Seconds; null if unknown." }),
        configuration_applied: Schema.Struct({
          domain: DomainName,
          environment_id: NullableString,
          calibration_required: Schema.Boolean,
          detection_settings: Schema.Struct({
            confidence_threshold: Schema.Finite,
            max_persons: Schema.Int,
            enable_tracking: Schema.Boolean,
            tracking_max_age: Schema.Int,
            tracking_min_hits: Schema.Int,
          }),
          neural_network: Schema.Struct({
            model_version: NullableString.annotate({ description: "Null: the version of the node's start." }),
          }),
          hardware_settings: Schema.Struct({
            csi_sampling_rate: NullableFinite.annotate({
              description: "Always null: the routers define their packet rate.",
            }),
            buffer_size: NullableFinite.annotate({
              description: "Frames of 100 ms that wait for the store; never null.",
            }),
          }),
          not_applied: Schema.Array(Schema.String).annotate({
            description: "Requested fields without effect.",
          }),
        }),
      }),
      ({ notApplied, session }: Started, nowMs) => ({
        status: session.status,
        session_id: session.sessionId,
        estimated_startup_time: secondsLeft(session, nowMs),
        configuration_applied: configurationBody(session.options, notApplied),
      }),
    ),
  },
  failures: [
    "SystemConflict",
    "InvalidConfiguration",
    "UnknownEnvironment",
    "UnknownModel",
    "UnusableModel",
    "StoreUnavailable",
    "ActorUnavailable",
    "AnswerTimeout",
  ],
})

export const stopSystem = endpoint({
  method: "POST",
  path: "/system/stop",
  group,
  summary: "Stop pose estimation",
  access: "write:configuration",
  category: "configuration",
  body: {
    schema: Schema.Struct({
      force: Schema.optionalKey(Schema.Boolean.annotate({ default: false })),
      save_state: Schema.optionalKey(Schema.Boolean.annotate({ default: true })),
    }),
    required: false,
  },
  status: 202,
  response: {
    bare: jsonCodec(
      Schema.Struct({
        status: SystemStatusValue,
        estimated_stop_time: Schema.NullOr(IsoTime),
        shutdown_steps: Steps,
      }),
      ({ status, estimatedReadyMs, steps }: SystemSession) => ({
        status,
        estimated_stop_time: isoTimeOrNull(estimatedReadyMs),
        shutdown_steps: steps,
      }),
    ),
    envelope: jsonCodec(
      Schema.Struct({ status: SystemStatusValue, session_id: NullableString, shutdown_initiated: IsoTime }),
      ({ status, sessionId }: SystemSession, nowMs) => ({
        status,
        session_id: sessionId,
        shutdown_initiated: isoTime(nowMs),
      }),
    ),
  },
  failures: ["SystemConflict", "StoreUnavailable", "ActorUnavailable", "AnswerTimeout"],
})

/** A restart in progress, and the session that it ended. */
interface Restarted {
  readonly previousSessionId: string | null
  readonly session: SystemSession
}

const restartCodec = jsonCodec(
  Schema.Struct({
    status: SystemStatusValue,
    previous_session_id: NullableString,
    new_session_id: NullableString,
    estimated_restart_time: NullableFinite.annotate({ description: "Seconds; null if unknown." }),
  }),
  ({ previousSessionId, session }: Restarted, nowMs) => ({
    status: session.status,
    previous_session_id: previousSessionId,
    new_session_id: session.sessionId,
    estimated_restart_time: secondsLeft(session, nowMs),
  }),
)

export const restartSystem = endpoint({
  method: "POST",
  path: "/system/restart",
  group,
  summary: "Restart pose estimation in a new session",
  access: "write:configuration",
  category: "configuration",
  status: 202,
  response: { bare: restartCodec, envelope: restartCodec },
  failures: ["SystemConflict", "StoreUnavailable", "ActorUnavailable", "AnswerTimeout"],
})
