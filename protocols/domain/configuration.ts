/**
 * The configuration: all settings that an operator can change at run time, as one value, independent of response forms.
 *
 * The bare form has `alerts`, the envelope form `analytics` with `alert_thresholds`. Both are views of this value, and
 * `protocols/pose-api/configuration-fields.ts` maps their fields. Measured values (antennas, subcarriers, the time of a router's
 * calibration) are not part of it.
 *
 * Invariant: every setting has a default, which applies to values that were saved before the setting existed.
 */
import { Effect, Schema } from "effect"
import { Identifier } from "./site.ts"

export const DomainName = Schema.Literals(["healthcare", "retail", "security", "general"])
export type DomainName = typeof DomainName.Type

const Fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const finite = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))
const integer = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** The version in a file of weights. The pattern excludes paths. */
export const ModelVersion = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u))

type Settings = Schema.Struct.Fields
type Defaults<F extends Settings> = { readonly [K in keyof F]: F[K]["Encoded"] }

/** A group of settings. A missing setting has its default. */
const group = <const F extends Settings>(fields: F, defaults: Defaults<F>) => {
  const entries = Object.entries(fields).map(([name, schema]) => [
    name,
    (schema as Schema.Codec<unknown>).pipe(
      Schema.withDecodingDefaultKey(Effect.succeed(defaults[name as keyof F])),
    ),
  ])
  return Schema.Struct(
    Object.fromEntries(entries) as { readonly [K in keyof F]: Schema.withDecodingDefaultKey<F[K]> },
  )
}

/** Some of the settings of a group. */
const some = <const F extends Settings>(fields: F) => {
  const entries = Object.entries(fields).map(([name, schema]) => [name, Schema.optionalKey(schema)])
  return Schema.optionalKey(
    Schema.Struct(Object.fromEntries(entries) as { readonly [K in keyof F]: Schema.optionalKey<F[K]> }),
  )
}

const detection = {
  /** The lowest probability of a person that a frame shows. */
  confidenceThreshold: Fraction,
  maxPersons: integer(1, 100),
  /** Off: each frame is independent. */
  enableTracking: Schema.Boolean,
  /** A track ends after this many consecutive frames (100 ms) without a detection. */
  trackingMaxAgeFrames: integer(1, 6_000),
  /** A track is reported as a person after this many frames with a detection, the first one included. */
  trackingMinHits: integer(1, 100),
}
/** Selects the persons of a frame. */
export const defaultDetection = {
  confidenceThreshold: 0.3,
  maxPersons: 10,
  enableTracking: true,
  trackingMaxAgeFrames: 60,
  trackingMinHits: 4,
}
export const DetectionSettings = group(detection, defaultDetection)
export type DetectionSettings = typeof DetectionSettings.Type

const neuralNetwork = {
  /** Null: the version that a node was started with. */
  modelVersion: Schema.NullOr(ModelVersion),
  /** The most persons in one pass of the network. Persons of one environment are never split. */
  batchSize: integer(1, 64),
  /** Off: the network runs on the processor, even if a node has a GPU. */
  enableGpu: Schema.Boolean,
  /** The longest wait of a frame for the network. Without an answer its persons have the mean skeleton, and `model_version` says so. */
  inferenceTimeoutS: finite(0.01, 60),
}
/** Which pose network makes the frames, and how it runs. */
export const defaultNeuralNetwork = { modelVersion: null, batchSize: 64, enableGpu: true, inferenceTimeoutS: 5 }
export const NeuralNetworkSettings = group(neuralNetwork, defaultNeuralNetwork)
export type NeuralNetworkSettings = typeof NeuralNetworkSettings.Type

const fallDetection = {
  enabled: Schema.Boolean,
  /** Shifts the thresholds of a fall: `core/activity/fall.ts` has the units. */
  sensitivity: Fraction,
  /** The wait before an alert, in which the person may get up. */
  notificationDelayS: finite(0, 3_600),
  /** A fall with a lower confidence is recorded without an alert. */
  confidenceMin: Fraction,
}
const inactivityDetection = { enabled: Schema.Boolean, thresholdMinutes: finite(1, 1_440) }
const intrusionDetection = {
  enabled: Schema.Boolean,
  /** Armed: any person is an intruder; else only persons in watched zones. Null: armed in the domain security. */
  armed: Schema.NullOr(Schema.Boolean),
}
/** Off: activities of persons are not reported. */
const activityRecognition = { enabled: Schema.Boolean }

/** The incidents to detect, and when alerts are raised. */
const defaultAlerts = {
  fallDetection: { enabled: true, sensitivity: 0.5, notificationDelayS: 10, confidenceMin: 0.3 },
  inactivityDetection: { enabled: true, thresholdMinutes: 30 },
  intrusionDetection: { enabled: true, armed: null },
  activityRecognition: { enabled: true },
}
export const AlertSettings = group({
  fallDetection: group(fallDetection, defaultAlerts.fallDetection),
  inactivityDetection: group(inactivityDetection, defaultAlerts.inactivityDetection),
  intrusionDetection: group(intrusionDetection, defaultAlerts.intrusionDetection),
  activityRecognition: group(activityRecognition, defaultAlerts.activityRecognition),
}, defaultAlerts)
export type AlertSettings = typeof AlertSettings.Type

const streaming = {
  /** Off: the gRPC method `WatchPoses`, which streams poses to other services, is rejected. */
  restreamEnabled: Schema.Boolean,
  /** Off: connections to `/ws/pose` are closed and rejected. */
  websocketEnabled: Schema.Boolean,
  /** Off: nothing is published over MQTT, even if a broker is set (`WAVEPOSE_MQTT_URL`); Home Assistant shows the nodes as unavailable. */
  mqttEnabled: Schema.Boolean,
}
/** The interfaces beside REST through which poses and edge records leave the service. */
const defaultStreaming = { restreamEnabled: true, websocketEnabled: true, mqttEnabled: true }
export const StreamingSettings = group(streaming, defaultStreaming)
export type StreamingSettings = typeof StreamingSettings.Type

const hardware = {
  /** Frames (100 ms) that an environment buffers while the store fails. Beyond this the oldest are dropped. */
  bufferSizeFrames: integer(10, 6_000),
}
const defaultHardware = { bufferSizeFrames: 100 }
const HardwareSettings = group(hardware, defaultHardware)

const privacy = {
  /** Days after which frames, tracks and events are deleted. */
  dataRetentionDays: integer(1, 3_650),
  /** On: persons are stored as `anonymousFrame` and `anonymousEvent` of `privacy.ts`. */
  anonymizeData: Schema.Boolean,
  /** On: personal data are encrypted before they are stored. */
  enableEncryption: Schema.Boolean,
  /** On: an administrator may record the CSI of a room (gRPC method `RecordCsi`), unless data are anonymised. */
  csiRecordingEnabled: Schema.Boolean,
}
/** The storage of data: retention, anonymisation and encryption; and whether CSI may be recorded. */
export const defaultPrivacy = {
  dataRetentionDays: 30,
  anonymizeData: false,
  enableEncryption: false,
  csiRecordingEnabled: false,
}
export const PrivacySettings = group(privacy, defaultPrivacy)
export type PrivacySettings = typeof PrivacySettings.Type

export const Configuration = Schema.Struct({
  domain: DomainName.pipe(Schema.withDecodingDefaultKey(Effect.succeed("general" as const))),
  /** The environment that runs; null: every enrolled one. */
  environmentId: Schema.NullOr(Identifier).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  detection: DetectionSettings.pipe(Schema.withDecodingDefaultKey(Effect.succeed(defaultDetection))),
  neuralNetwork: NeuralNetworkSettings.pipe(Schema.withDecodingDefaultKey(Effect.succeed(defaultNeuralNetwork))),
  alerts: AlertSettings.pipe(Schema.withDecodingDefaultKey(Effect.succeed(defaultAlerts))),
  streaming: StreamingSettings.pipe(Schema.withDecodingDefaultKey(Effect.succeed(defaultStreaming))),
  hardware: HardwareSettings.pipe(Schema.withDecodingDefaultKey(Effect.succeed(defaultHardware))),
  privacy: PrivacySettings.pipe(Schema.withDecodingDefaultKey(Effect.succeed(defaultPrivacy))),
})
export type Configuration = typeof Configuration.Type

export const defaultConfiguration: Configuration = {
  domain: "general",
  environmentId: null,
  detection: defaultDetection,
  neuralNetwork: defaultNeuralNetwork,
  alerts: defaultAlerts,
  streaming: defaultStreaming,
  hardware: defaultHardware,
  privacy: defaultPrivacy,
}

/** Some settings of a configuration. Absent settings stay. */
export const ConfigurationChanges = Schema.Struct({
  domain: Schema.optionalKey(DomainName),
  environmentId: Schema.optionalKey(Schema.NullOr(Identifier)),
  detection: some(detection),
  neuralNetwork: some(neuralNetwork),
  alerts: Schema.optionalKey(Schema.Struct({
    fallDetection: some(fallDetection),
    inactivityDetection: some(inactivityDetection),
    intrusionDetection: some(intrusionDetection),
    activityRecognition: some(activityRecognition),
  })),
  streaming: some(streaming),
  hardware: some(hardware),
  privacy: some(privacy),
})
export type ConfigurationChanges = typeof ConfigurationChanges.Type

/** The schema of each setting by its dotted path, for edges that read and describe settings one by one. */
export const settingSchemas = {
  domain: DomainName,
  environmentId: Schema.NullOr(Identifier),
  detection,
  neuralNetwork,
  alerts: { fallDetection, inactivityDetection, intrusionDetection, activityRecognition },
  streaming,
  hardware,
  privacy,
}
