/**
 * The estimators under evaluation: the service's own, and the baselines.
 *
 * Owns the interface of an evaluated estimator and the adapter of the service's own. Boundary: constant poses, which need no
 * estimator, are in `sim/evaluation/mean-pose.ts`.
 */
import { ActivityWatch } from "../../actors/environment/activity-watch.ts"
import { Estimator } from "../../actors/environment/estimator.ts"
import type { Estimate } from "../../actors/environment/seen-site.ts"
import type { Computation } from "../../core/kernels/kernel.ts"
import { forward, type PoseNetwork } from "../../core/pose/network.ts"
import { hopUs, type Observation } from "../../core/observation/observation.ts"
import type { ActivityEvent } from "../../protocols/domain/event.ts"
import type { Environment } from "../../protocols/domain/site.ts"
import { defaultStartOptions } from "../../protocols/domain/system.ts"
import type { HopEstimate } from "../../sim/evaluation/record.ts"
import type { NotJudged } from "../../sim/evaluation/scoreboard.ts"

/** Estimates hop by hop, in ascending order. */
interface JudgedEstimator {
  readonly estimate: (hop: number, observations: ReadonlyArray<Observation>) => Computation<HopEstimate>
}

export type EstimatorFactory = (environment: Environment) => JudgedEstimator

const xyz = ({ x, y, z }: { readonly x: number; readonly y: number; readonly z: number }) => [x, y, z]

/** A frame of the service in the form of the evaluation. `fallAlarms` are those of its hop. */
const judgedForm = ({ persons, presence, vitals }: Estimate, fallAlarms: number): HopEstimate => ({
  persons: persons.map(({ activity, confidence, id, keypoints3d }) => ({
    id,
    activity,
    keypoints: Float64Array.from(keypoints3d.flatMap(xyz)),
    certainty: {
      sigmaM: Float64Array.from(keypoints3d, ({ sigmaM }) => sigmaM),
      confidence: Float64Array.from(keypoints3d, (keypoint) => keypoint.confidence),
    },
    score: confidence,
  })),
  fallAlarms,
  present: presence.present,
  breathingBpm: vitals.breathingRateBpm,
})

/** The default settings, but fall alerts do not wait for a recovery, because the evaluation measures their latency. */
const settings = {
  ...defaultStartOptions,
  alerts: {
    ...defaultStartOptions.alerts,
    fallDetection: { ...defaultStartOptions.alerts.fallDetection, notificationDelayS: 0 },
  },
}

/** The number of fall alerts that a hop's events raise. */
const fallAlarmsOf = (events: ReadonlyArray<ActivityEvent>, timestampMs: number): number =>
  events.filter(({ detail, incident }) => detail.type === "fall_detection" && incident?.raisedMs === timestampMs).length

/** The service's estimator and activity watch, with a network or the mean skeleton. */
const service = (network: PoseNetwork | null): EstimatorFactory => (environment) => {
  let ids = 0
  const estimator = new Estimator(environment, network, () => ++ids)
  const watch = new ActivityWatch(environment, () => String(++ids))
  watch.configure(settings)
  return {
    estimate: function* (hop, observations) {
      const asked = yield* estimator.observe(hop, observations)
      const poses = asked === null || network === null ? null : yield* forward(network, asked)
      const frame = estimator.estimate(poses)
      const timestampMs = ((hop + 1) * hopUs) / 1000
      const { events, persons } = watch.step(timestampMs, frame, estimator.samples)
      return judgedForm({ ...frame, persons }, fallAlarmsOf(events, timestampMs))
    },
  }
}

export interface Estimators {
  /** The service's estimator. */
  readonly estimator: EstimatorFactory
  /** The matched field, tracks and the mean skeleton, without a network. */
  readonly physics_only: EstimatorFactory | NotJudged
  /** The network without the geometry. */
  readonly no_geometry: EstimatorFactory | NotJudged
}

/** The estimators for the service's weights and those of a network trained without the geometry. */
export const estimatorsOf = (own: PoseNetwork | null, withoutGeometry: PoseNetwork | null): Estimators => {
  const physics = service(null)
  return {
    estimator: own === null ? physics : service(own),
    physics_only: physics,
    no_geometry: withoutGeometry === null
      ? { reason: "There are no weights of a network without geometry." }
      : service(withoutGeometry),
  }
}

/** The reason of a run without baselines. */
export const baselinesNotAsked: NotJudged = { reason: "Not requested (--no-baselines)." }

/** The estimator alone. */
export const withoutBaselines = ({ estimator }: Estimators): Estimators => ({
  estimator,
  physics_only: baselinesNotAsked,
  no_geometry: baselinesNotAsked,
})
