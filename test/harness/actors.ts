/**
 * The real actors on a real store, in one process and on a test clock, so that each run is repeatable.
 */
import { Context, Effect, Layer, Random } from "effect"
import type { Sharding } from "effect/cluster"
import { TestClock } from "effect/testing"
import { PoseInference } from "../../actors/runtime/pose/pose-inference.ts"
import type { PoseModels } from "../../actors/runtime/pose/pose-models.ts"
import { modelsOf } from "./pose-models.ts"
import { Kernels } from "../../actors/runtime/kernels/kernels.ts"
import { Escalations } from "../../actors/runtime/supervision.ts"
import type { DatabaseLocation } from "../../actors/store/database/database-location.ts"
import { layerNodeRegistry } from "../../actors/store/sensing/node-identities.ts"
import { ReferenceStore } from "../../actors/store/sensing/calibrations.ts"
import { layerPrivacyClasses } from "../../deploy/settings/edge-settings.ts"
import type { LocalEnvironments } from "../../protocols/messages/environment.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import type { LocalRouters } from "../../protocols/messages/router.ts"
import { layerActors, layerLocalActors } from "../../deploy/composition/actors.ts"
import { layerStores } from "../../deploy/composition/service.ts"
import { clusterLayer } from "./cluster.ts"

const layerActorsWith = (models: Layer.Layer<PoseModels, unknown>) =>
  layerActors.pipe(
    Layer.provide([PoseInference.layer, models]),
    Layer.provide([layerNodeRegistry("open"), layerPrivacyClasses({ standard: 2, byNode: new Map() })]),
    Layer.provide([Escalations.layer, Kernels.layer("typed-arrays", [])]),
    Layer.provideMerge([clusterLayer, layerLocalActors]),
  )

type Stores = Layer.Success<ReturnType<typeof layerStores>>

/** Runs a program among the actors. The database runs on real time, everything else on a clock that starts at `startMs`. */
export const runActors = <A, E>(
  options: {
    readonly location: DatabaseLocation
    readonly startMs: number
    readonly seed: string
    /** Replaces the store of calibrations. */
    readonly references?: ReferenceStore["Service"]
    /** Replaces the directory of environments by one that begins with the real one. */
    readonly directory?: (real: Directory["Service"]) => Directory["Service"]
    /** The pose models of the node; default none. */
    readonly models?: Layer.Layer<PoseModels, unknown>
  },
  program: Effect.Effect<A, E, Stores | LocalRouters | LocalEnvironments | Sharding.Sharding>,
): Promise<A> =>
  Effect.gen(function* () {
    const stored = yield* Layer.build(layerStores(options.location))
    const { directory = (real) => real, references } = options
    const listed = Context.add(stored, Directory, directory(Context.get(stored, Directory)))
    const stores = references === undefined ? listed : Context.add(listed, ReferenceStore, references)
    // The clock is set before anything sleeps on it; the cluster then registers its actors on it.
    const registered = Effect.andThen(TestClock.adjust(1), program)
    return yield* TestClock.setTime(options.startMs).pipe(
      Effect.andThen(Effect.provide(registered, layerActorsWith(options.models ?? modelsOf([])))),
      Effect.provide(stores),
      Random.withSeed(options.seed),
      Effect.provide(TestClock.layer()),
    )
  }).pipe(Effect.scoped, Effect.runPromise)
