/**
 * What an estimator hands over to the one that continues its environment on another node, and its stored form (JSON).
 *
 * Not handed over: the windows of the links, which fill within seconds. A memory of another form, from another version of the program, is
 * not read.
 */
import { Schema, SchemaTransformation } from "effect"
import { leavingStates } from "../../core/tracking/leaving.ts"
import { TrackStatus } from "../../protocols/domain/pose.ts"

/** Numbers of 32 bits, in the byte order of all machines that run the service (little-endian). */
const Floats = Schema.Uint8ArrayFromBase64.pipe(Schema.decodeTo(
  Schema.declare((given: unknown): given is Float32Array => given instanceof Float32Array),
  SchemaTransformation.transform({
    decode: (bytes: Uint8Array): Float32Array => new Float32Array(bytes.slice().buffer, 0, bytes.length >> 2),
    encode: (floats: Float32Array) => new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength),
  }),
))

const Numbers = Schema.Array(Schema.Number)
const Place = Schema.Struct({ x: Schema.Number, y: Schema.Number })

const MotionState = Schema.Struct({
  ...Place.fields,
  velocityX: Schema.Number,
  velocityY: Schema.Number,
  positionVariance: Schema.Number,
  covariance: Schema.Number,
  velocityVariance: Schema.Number,
})

const TrajectoryPoint = Schema.Struct({ ...Place.fields, timestampMs: Schema.Number, confidence: Schema.Number })

const TrackMemory = Schema.Struct({
  id: Schema.Int,
  life: Schema.Struct({
    status: TrackStatus,
    limits: Schema.Struct({
      hitsMin: Schema.Number,
      tentativeMissesMax: Schema.Number,
      missesMax: Schema.Number,
      lostMax: Schema.Number,
    }),
    misses: Schema.Number,
    hits: Schema.Number,
    age: Schema.Number,
  }),
  person: Schema.Struct({ walking: MotionState, standing: MotionState, standingProbability: Schema.Number }),
  existence: Schema.Number,
  from: Place,
  footing: Schema.NullOr(Schema.Struct({
    times: Schema.Number,
    speedMps: Schema.Number,
    place: Place,
    strayM: Schema.Number,
  })),
  walked: Schema.Boolean,
  walkingM2: Schema.NullOr(Schema.Number),
  adultHits: Schema.Number,
  walkingHops: Schema.Number,
  leaving: Schema.Literals(leavingStates),
  proven: Schema.Boolean,
  seen: Schema.NullOr(Schema.Struct({ sigmaM: Schema.Number, lyingProbability: Schema.Number })),
  trajectory: Schema.Struct({
    points: Schema.Array(TrajectoryPoint),
    last: TrajectoryPoint,
    strideM: Schema.Number,
    intervalMs: Schema.Number,
    counted: Place,
    firstSeenMs: Schema.Number,
    states: Schema.Number,
    confidenceSum: Schema.Number,
    movementDistanceM: Schema.Number,
    timeStationaryS: Schema.Number,
    timeMovingS: Schema.Number,
  }),
  quietHops: Schema.Number,
})

const LinkMemory = Schema.Struct({
  key: Schema.String,
  power: Schema.Struct({ hops: Numbers, powers: Numbers }),
  noise: Schema.Struct({
    counts: Numbers,
    hops: Schema.Number,
    blocks: Numbers,
    parts: Numbers,
    addedHop: Schema.Number,
    measured: Schema.Boolean,
    entry: Schema.Number,
    quiet: Numbers,
  }),
  evidence: Schema.NullOr(Schema.Struct({
    hop: Schema.Number,
    gapHops: Schema.Number,
    packetRateHz: Schema.Number,
    sigmas: Schema.NullOr(Schema.Number),
    whole: Schema.Boolean,
    mover: Schema.Literals(["body", "machine", "either"]),
    excess: Schema.Number,
    correlated: Schema.Boolean,
    dynamicPower: Schema.NullOr(Schema.Number),
    breath: Schema.Number,
    occupied: Schema.Boolean,
  })),
})

export const EstimatorMemory = Schema.Struct({
  /** The last hop. */
  hop: Schema.Int,
  tracks: Schema.Struct({
    current: Schema.Array(TrackMemory),
    ended: Schema.Array(TrackMemory),
    departure: Schema.Struct({ someoneLeft: Schema.Boolean, someoneVanished: Schema.Boolean }),
  }),
  presence: Schema.Struct({
    links: Schema.Array(LinkMemory),
    integrator: Schema.Struct({
      hops: Schema.Number,
      peakHops: Schema.Number,
      present: Schema.Boolean,
      sinceHops: Schema.Number,
      restHops: Schema.Number,
      doubtHops: Schema.Number,
    }),
    machineInRow: Schema.Number,
    eitherInRow: Schema.Number,
    breathInRow: Schema.Number,
    wholeHop: Schema.Number,
    unquietHop: Schema.Number,
    quiet: Schema.Number,
    machineHop: Schema.Number,
    onlyMachineHop: Schema.Number,
    eitherHop: Schema.Number,
  }),
  locatedHop: Schema.Number,
  baselines: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      calibratedAtUs: Schema.Number,
      mean: Floats,
      hops: Schema.Number,
      power: Schema.Number,
    }),
  ),
  /** Version of the network whose memory `persons` hold; null without a network. */
  modelVersion: Schema.NullOr(Schema.String),
  persons: Schema.Array(Schema.Struct({
    id: Schema.Int,
    heading: Schema.Struct({ rad: Schema.Number, atS: Schema.NullOr(Schema.Number) }),
    values: Floats,
    habit: Schema.Struct({
      posture: Floats,
      evidence: Schema.NullOr(Numbers),
      swing: Schema.NullOr(
        Schema.Struct({ aheadM: Schema.Number, squareM2: Schema.Number, speedMps: Schema.Number }),
      ),
    }),
  })),
})
export type EstimatorMemory = typeof EstimatorMemory.Type
