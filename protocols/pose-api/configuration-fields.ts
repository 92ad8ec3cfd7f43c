/**
 * The fields of the configuration in both response forms, and the setting behind each: the table for `GET`, `PUT` and the schema of
 * `/config`.
 *
 * Units: `inference_timeout` and `inactivity_timeout` are seconds; `tracking_max_age`, `tracking_min_hits` and `buffer_size` are
 * frames of 100 ms. `alerts.intrusion_detection` is an extension of the bare form.
 */
import { Schema } from "effect"
import { type Configuration, settingSchemas } from "../domain/configuration.ts"
import { restartSettings, settingAt } from "../domain/configuration-change.ts"
import type { Form } from "./forms.ts"
import { IsoTime, isoTimeOrNull } from "./forms.ts"
import {
  encodeTree,
  isSetting,
  leavesOf,
  mergeTrees,
  type Report,
  type Setting,
  type SettingTree,
} from "./setting-tree.ts"

/** Measured values of the hardware and properties of the site, which are among the fields of the configuration. */
export interface Observed {
  /** Name of the running environment; null if several run. */
  readonly environmentName: string | null
  /** When the first of its routers was calibrated; null unless all are calibrated. */
  readonly calibratedAtMs: number | null
  /** Null before the first packet, and if routers differ. */
  readonly antennaCount: number | null
  readonly subcarrierCount: number | null
}

export const nothingObserved: Observed = {
  environmentName: null,
  calibratedAtMs: null,
  antennaCount: null,
  subcarrierCount: null,
}

const schemaAt = (path: string): Schema.Constraint =>
  path.split(".").reduce<unknown>(
    (group, key) => (group as Record<string, unknown>)[key],
    settingSchemas,
  ) as Schema.Constraint

const described = (schema: Schema.Constraint, description: string): Schema.Constraint =>
  (schema as Schema.Codec<unknown>).annotate({ description })

const setting = (path: string, description: string): Setting => ({
  path,
  schema: described(
    schemaAt(path),
    `${description}${restartSettings.has(path) ? " Takes effect at the next start or restart." : ""}`,
  ),
})

const report = (
  schema: Schema.Constraint,
  read: (observed: Observed) => unknown,
  reason: string,
): Report<Observed> => ({
  read,
  schema: described(schema, `Reported only: ${reason}`),
  reason,
})

const count = Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))

const ofRouters = "it is the format of the routers' CSI; null before any. Configure the routers."

const shared = {
  domain: setting("domain", "Application domain of the site."),
  environmentId: setting("environmentId", "The environment that runs; null: all enrolled environments."),
  confidence: setting("detection.confidenceThreshold", "Minimum probability with which a person is reported, 0 to 1."),
  persons: setting("detection.maxPersons", "Maximum number of persons in a frame."),
  tracking: setting("detection.enableTracking", "Whether persons are tracked from frame to frame."),
  falls: setting("alerts.fallDetection.enabled", "Whether falls are detected."),
}

/** The names of the settings in each form. */
export const configurationTrees: Readonly<Record<Form, SettingTree<Observed>>> = {
  bare: {
    domain: shared.domain,
    environment: {
      id: shared.environmentId,
      name: report(
        Schema.NullOr(Schema.String),
        ({ environmentName }) => environmentName,
        "the site file defines it; null without one. Change it there.",
      ),
      calibration_timestamp: report(
        Schema.NullOr(IsoTime),
        ({ calibratedAtMs }) => isoTimeOrNull(calibratedAtMs),
        "it is the time of the last calibration; null before any. Calibrate with POST /api/v1/system/calibration.",
      ),
    },
    detection: {
      confidence_threshold: shared.confidence,
      max_persons: shared.persons,
      tracking_enabled: shared.tracking,
    },
    alerts: {
      fall_detection: {
        enabled: shared.falls,
        sensitivity: setting(
          "alerts.fallDetection.sensitivity",
          "Sensitivity of fall detection, 0 to 1. The value 0.5 is meant for daily life.",
        ),
        notification_delay_seconds: setting(
          "alerts.fallDetection.notificationDelayS",
          "Delay of an alert in seconds, in which the person may get up.",
        ),
      },
      inactivity_detection: {
        enabled: setting("alerts.inactivityDetection.enabled", "Whether inactivity is detected."),
        threshold_minutes: setting(
          "alerts.inactivityDetection.thresholdMinutes",
          "Minutes of inactivity before an alert.",
        ),
      },
      intrusion_detection: {
        enabled: setting("alerts.intrusionDetection.enabled", "Whether intrusions are detected."),
        armed: setting(
          "alerts.intrusionDetection.armed",
          "If true, every person is an intruder; if false, only persons in watched zones. Null: true in the domain security.",
        ),
      },
    },
    streaming: {
      restream_enabled: setting("streaming.restreamEnabled", "Whether the gRPC method WatchPoses is available."),
      websocket_enabled: setting("streaming.websocketEnabled", "Whether the WebSocket /ws/pose is available."),
      mqtt_enabled: setting(
        "streaming.mqttEnabled",
        "Whether records of edge nodes are published to the MQTT broker, if one is configured (WAVEPOSE_MQTT_URL).",
      ),
    },
  },
  envelope: {
    domain: shared.domain,
    environment_id: shared.environmentId,
    detection: {
      confidence_threshold: shared.confidence,
      max_persons: shared.persons,
      enable_tracking: shared.tracking,
      tracking_max_age: setting(
        "detection.trackingMaxAgeFrames",
        "Consecutive frames (100 ms each) without a detection after which a track ends.",
      ),
      tracking_min_hits: setting(
        "detection.trackingMinHits",
        "Frames with a detection, including the first, after which a track is reported as a person.",
      ),
    },
    neural_network: {
      model_version: setting(
        "neuralNetwork.modelVersion",
        "Version of the pose network, as named in its file of weights; null: the version with which a node was started.",
      ),
      batch_size: setting(
        "neuralNetwork.batchSize",
        "Maximum number of persons in one pass of the network. Persons of one environment are always in the same pass.",
      ),
      enable_gpu: setting("neuralNetwork.enableGpu", "Whether the network may run on a GPU if a node has one."),
      inference_timeout: setting(
        "neuralNetwork.inferenceTimeoutS",
        "Seconds that a frame waits for the network. After that its persons have the mean skeleton.",
      ),
    },
    hardware: {
      csi_sampling_rate: report(
        Schema.NullOr(Schema.Finite),
        () => null,
        "always null, because the routers define their packet rate. Configure the routers. GET /api/v1/system/diagnostics " +
          "reports the rate of each router.",
      ),
      buffer_size: setting(
        "hardware.bufferSizeFrames",
        "Frames (100 ms each) that an environment buffers while the store is unavailable.",
      ),
      antenna_count: report(count, ({ antennaCount }) => antennaCount, ofRouters),
      subcarrier_count: report(count, ({ subcarrierCount }) => subcarrierCount, ofRouters),
    },
    analytics: {
      enable_fall_detection: shared.falls,
      enable_activity_recognition: setting(
        "alerts.activityRecognition.enabled",
        "Whether the activity of persons is reported.",
      ),
      alert_thresholds: {
        fall_confidence: setting(
          "alerts.fallDetection.confidenceMin",
          "Minimum confidence of a fall that raises an alert, 0 to 1. Other falls are recorded without an alert.",
        ),
        inactivity_timeout: {
          path: "alerts.inactivityDetection.thresholdMinutes",
          schema: described(
            Schema.Finite.check(Schema.isBetween({ minimum: 60, maximum: 86_400 })),
            "Seconds of inactivity before an alert.",
          ),
          unit: { toWire: (minutes) => Math.round(minutes * 60e3) / 1e3, fromWire: (seconds) => seconds / 60 },
        },
      },
    },
    privacy: {
      data_retention_days: setting("privacy.dataRetentionDays", "Days after which stored data are deleted."),
      anonymize_data: setting(
        "privacy.anonymizeData",
        "Whether frames are stored without data that distinguish persons.",
      ),
      enable_encryption: setting(
        "privacy.enableEncryption",
        "Whether the content of frames is encrypted in the store.",
      ),
      csi_recording_enabled: setting(
        "privacy.csiRecordingEnabled",
        "Whether an administrator may record the CSI of a room.",
      ),
    },
  },
}

/** The fields of both forms: a change may use either, whatever the form of its answer. */
export const everyField: SettingTree<Observed> = mergeTrees(configurationTrees.bare, configurationTrees.envelope)

/** The configuration in a form. */
export const configurationBody = (
  form: Form,
  configuration: Configuration,
  observed: Observed,
): Record<string, unknown> => encodeTree(configurationTrees[form], (path) => settingAt(configuration, path), observed)

const settingsOf = (form: Form): ReadonlyArray<readonly [string, Setting]> =>
  leavesOf(configurationTrees[form]).flatMap(([name, leaf]) => isSetting(leaf) ? [[name, leaf] as const] : [])

const byPath = (form: Form): ReadonlyMap<string, readonly [string, Setting]> => {
  const other: Form = form === "bare" ? "envelope" : "bare"
  // The form's own names take precedence over those of the other form.
  return new Map([...settingsOf(other), ...settingsOf(form)].map((entry) => [entry[1].path, entry]))
}

const byPathOf: Readonly<Record<Form, ReadonlyMap<string, readonly [string, Setting]>>> = {
  bare: byPath("bare"),
  envelope: byPath("envelope"),
}

/** The name of a setting in a form; else its name in the other form; else its own path. */
export const fieldOf = (form: Form, path: string): string => byPathOf[form].get(path)?.[0] ?? path

/** The setting with that name, for its unit. */
export const settingOf = (form: Form, path: string): Setting | null => byPathOf[form].get(path)?.[1] ?? null
