/**
 * The configuration: what the operator decides about detection, the pose network, alerts and recognition, before any response form.
 *
 * The bare form speaks of `alerts`, the envelope form of `analytics` and its `alert_thresholds`; both are this one value.
 */
import { Effect, Schema } from "effect"

export const DomainName = Schema.Literals(["healthcare", "retail", "security", "general"])
export type DomainName = typeof DomainName.Type

const Fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** How long a track lives without being seen, and how often it is seen before it counts: both in frames of 100 ms. */
const defaultTracking = { trackingMaxAgeFrames: 60, trackingMinHits: 4 }

/** Sessions that were saved before a setting existed have its default. */
const frames = (byDefault: number) => Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(byDefault)))

/** Which persons a frame shows. */
export const DetectionSettings = Schema.Struct({
  confidenceThreshold: Schema.Number,
  maxPersons: Schema.Int,
  enableTracking: Schema.Boolean,
  /** Frames in a row that miss a track, after which it ends. */
  trackingMaxAgeFrames: frames(defaultTracking.trackingMaxAgeFrames),
  /** Frames that see a track, its first included, before it is a person. */
  trackingMinHits: frames(defaultTracking.trackingMinHits),
})
export type DetectionSettings = typeof DetectionSettings.Type

export const defaultDetection: DetectionSettings = {
  confidenceThreshold: 0.3,
  maxPersons: 10,
  enableTracking: true,
  ...defaultTracking,
}

/** The version that a file of weights says of itself: a name, and no path could be one. */
export const ModelVersion = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/))

/** Which pose network makes the frames. */
export const NeuralNetworkSettings = Schema.Struct({
  /** Null: the one that a node was started with. */
  modelVersion: Schema.NullOr(ModelVersion),
})
export type NeuralNetworkSettings = typeof NeuralNetworkSettings.Type

export const defaultNeuralNetwork: NeuralNetworkSettings = { modelVersion: null }

/** What is watched for, and when somebody is told. */
export const AlertSettings = Schema.Struct({
  fallDetection: Schema.Struct({
    enabled: Schema.Boolean,
    /** Moves the thresholds of a fall: `core/activity/fall.ts` says in which units. */
    sensitivity: Fraction,
    /** How long an alert waits for the person to get up. */
    notificationDelayS: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 3600 })),
    /** A fall of less confidence is recorded, and nobody is alerted. */
    confidenceMin: Fraction,
  }),
  inactivityDetection: Schema.Struct({
    enabled: Schema.Boolean,
    thresholdMinutes: Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 1440 })),
  }),
  intrusionDetection: Schema.Struct({
    enabled: Schema.Boolean,
    /** Armed: anybody anywhere is an intruder, else only in watched zones. Null: armed in the domain security. */
    armed: Schema.NullOr(Schema.Boolean),
  }),
  /** Off: no activity of a person is told. */
  activityRecognition: Schema.Struct({ enabled: Schema.Boolean }),
})
export type AlertSettings = typeof AlertSettings.Type

export const defaultAlerts: AlertSettings = {
  fallDetection: { enabled: true, sensitivity: 0.5, notificationDelayS: 10, confidenceMin: 0.3 },
  inactivityDetection: { enabled: true, thresholdMinutes: 30 },
  intrusionDetection: { enabled: true, armed: null },
  activityRecognition: { enabled: true },
}
