/**
 * The fields of the configuration in both response forms, and which setting each of them is: the one table behind `GET`, `PUT` and the
 * schema of `/config`.
 *
 * Decided here: `inference_timeout` and `inactivity_timeout` are seconds; `tracking_max_age`, `tracking_min_hits` and `buffer_size` are
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

/** What is measured of the hardware, or known of the site, and stands among the fields of the configuration. */
export interface Observed {
  /** Of the environment that runs; null where several do. */
  readonly environmentName: string | null
  /** When the first of its routers was calibrated; null unless all are. */
  readonly calibratedAtMs: number | null
  /** Null before the first packet, and where routers differ. */
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
    `${description} Takes effect ${restartSettings.has(path) ? "with the next start or restart" : "at once"}.`,
  ),
})

const report = (
  schema: Schema.Constraint,
  read: (observed: Observed) => unknown,
  reason: string,
): Report<Observed> => ({
  read,
  schema: described(schema, `Reported, and cannot be set: ${reason}`),
  reason,
})

const count = Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))

const ofRouters = "it is what the routers send. Configure the routers themselves."

const shared = {
  domain: setting("domain", "What the place is watched for."),
  environmentId: setting("environmentId", "The environment that runs; null: every one that is enrolled."),
  confidence: setting("detection.confidenceThreshold", "Probability that there is a person, from which one is shown."),
  persons: setting("detection.maxPersons", "Most persons of a frame."),
  tracking: setting("detection.enableTracking", "Whether persons are followed from frame to frame."),
  falls: setting("alerts.fallDetection.enabled", "Whether falls are watched for."),
}

/** How each form names the settings. */
export const configurationTrees: Readonly<Record<Form, SettingTree<Observed>>> = {
  bare: {
    domain: shared.domain,
    environment: {
      id: shared.environmentId,
      name: report(
        Schema.NullOr(Schema.String),
        ({ environmentName }) => environmentName,
        "it is enrolled with the site. Change it in the site file.",
      ),
      calibration_timestamp: report(
        Schema.NullOr(IsoTime),
        ({ calibratedAtMs }) => isoTimeOrNull(calibratedAtMs),
        "it is when the routers were calibrated. Calibrate them with POST /api/v1/system/calibration.",
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
          "How little makes a fall; 0.5 is meant for daily life.",
        ),
        notification_delay_seconds: setting(
          "alerts.fallDetection.notificationDelayS",
          "How long an alert waits for the person to get up.",
        ),
      },
      inactivity_detection: {
        enabled: setting("alerts.inactivityDetection.enabled", "Whether persons who keep still are watched for."),
        threshold_minutes: setting("alerts.inactivityDetection.thresholdMinutes", "Stillness before an alert."),
      },
      intrusion_detection: {
        enabled: setting("alerts.intrusionDetection.enabled", "Extension: whether intruders are watched for."),
        armed: setting(
          "alerts.intrusionDetection.armed",
          "Extension: armed, anybody anywhere is an intruder, else only in watched zones; null: armed in the domain security.",
        ),
      },
    },
    streaming: {
      restream_enabled: setting("streaming.restreamEnabled", "Whether the gRPC method Poses.Watch is served."),
      websocket_enabled: setting("streaming.websocketEnabled", "Whether /ws/pose is served."),
      mqtt_enabled: setting(
        "streaming.mqttEnabled",
        "Whether what edge nodes say is published to the MQTT broker, where one is set (WAVEPOSE_MQTT_URL).",
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
        "Frames (100 ms) in a row that miss a track, after which it ends.",
      ),
      tracking_min_hits: setting(
        "detection.trackingMinHits",
        "Frames that see a track, its first included, before it is a person.",
      ),
    },
    neural_network: {
      model_version: setting(
        "neuralNetwork.modelVersion",
        "What a file of weights says it is; null: the one that a node was started with.",
      ),
      batch_size: setting(
        "neuralNetwork.batchSize",
        "Persons that a node asks its network about in one pass; those of one environment are never parted.",
      ),
      enable_gpu: setting("neuralNetwork.enableGpu", "Whether the network may run on a GPU where a node has one."),
      inference_timeout: setting(
        "neuralNetwork.inferenceTimeoutS",
        "Seconds that a frame waits for the network; without an answer its persons have the mean skeleton.",
      ),
    },
    hardware: {
      csi_sampling_rate: report(
        Schema.NullOr(Schema.Finite),
        () => null,
        "routers send at the rate that they were set up for. Configure the routers themselves; GET /api/v1/system/diagnostics " +
          "says at which rate each one sends.",
      ),
      buffer_size: setting(
        "hardware.bufferSizeFrames",
        "Frames (100 ms) that an environment keeps while the store does not take them.",
      ),
      antenna_count: report(count, ({ antennaCount }) => antennaCount, ofRouters),
      subcarrier_count: report(count, ({ subcarrierCount }) => subcarrierCount, ofRouters),
    },
    analytics: {
      enable_fall_detection: shared.falls,
      enable_activity_recognition: setting(
        "alerts.activityRecognition.enabled",
        "Whether it is told what persons do.",
      ),
      alert_thresholds: {
        fall_confidence: setting(
          "alerts.fallDetection.confidenceMin",
          "A fall of less confidence is recorded, and nobody is alerted.",
        ),
        inactivity_timeout: {
          path: "alerts.inactivityDetection.thresholdMinutes",
          schema: described(
            Schema.Finite.check(Schema.isBetween({ minimum: 60, maximum: 86_400 })),
            "Seconds of stillness before an alert. Takes effect at once.",
          ),
          unit: { toWire: (minutes) => Math.round(minutes * 60e3) / 1e3, fromWire: (seconds) => seconds / 60 },
        },
      },
    },
    privacy: {
      data_retention_days: setting("privacy.dataRetentionDays", "Days after which what was stored is deleted."),
      anonymize_data: setting("privacy.anonymizeData", "Whether frames are stored without what tells persons apart."),
      enable_encryption: setting(
        "privacy.enableEncryption",
        "Whether the bodies of frames are encrypted in the store.",
      ),
    },
  },
}

/** The fields of both forms: what a change may name, whatever the form of its answer. */
export const everyField: SettingTree<Observed> = mergeTrees(configurationTrees.bare, configurationTrees.envelope)

/** What a form says of a configuration. */
export const configurationBody = (
  form: Form,
  configuration: Configuration,
  observed: Observed,
): Record<string, unknown> => encodeTree(configurationTrees[form], (path) => settingAt(configuration, path), observed)

const settingsOf = (form: Form): ReadonlyArray<readonly [string, Setting]> =>
  leavesOf(configurationTrees[form]).flatMap(([name, leaf]) => isSetting(leaf) ? [[name, leaf] as const] : [])

const byPath = (form: Form): ReadonlyMap<string, readonly [string, Setting]> => {
  const other: Form = form === "bare" ? "envelope" : "bare"
  // The form's own names win over those of the other.
  return new Map([...settingsOf(other), ...settingsOf(form)].map((entry) => [entry[1].path, entry]))
}

const byPathOf: Readonly<Record<Form, ReadonlyMap<string, readonly [string, Setting]>>> = {
  bare: byPath("bare"),
  envelope: byPath("envelope"),
}

/** How a form names a setting; one that it lacks has the other form's name, and one that neither has its own path. */
export const fieldOf = (form: Form, path: string): string => byPathOf[form].get(path)?.[0] ?? path

/** The setting behind that name, for its unit. */
export const settingOf = (form: Form, path: string): Setting | null => byPathOf[form].get(path)?.[1] ?? null
