/**
 * The stores and ports of a simulated node, on the tables of `sim/cluster`.
 *
 * Only frames and the memories of environments are kept: events, tracks and references are accepted and discarded. The system runs from the
 * start.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"
import { PoseModels } from "../../actors/runtime/pose/pose-models.ts"
import { EventStore } from "../../actors/store/events/events.ts"
import { FrameStore } from "../../actors/store/frames/frames.ts"
import { EnvironmentMemories } from "../../actors/store/sensing/environment-memories.ts"
import { ReferenceStore } from "../../actors/store/sensing/calibrations.ts"
import { SessionStore } from "../../actors/store/session/sessions.ts"
import { TrackStore } from "../../actors/store/tracks/tracks.ts"
import { defaultPrivacy } from "../../protocols/domain/configuration.ts"
import { StoreUnavailable, UnknownEnvironment, UnknownModel } from "../../protocols/domain/failure.ts"
import { defaultStartOptions, type SystemSession } from "../../protocols/domain/system.ts"
import { decodePoseFrame } from "../../protocols/grpc/pose-frame.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { FrameHistory, type FramePosition } from "../../protocols/ports/frame-history.ts"
import { LearnedWeeks } from "../../protocols/ports/learned-weeks.ts"
import { NodeRegistry } from "../../protocols/ports/node-identities.ts"
import { Privacy } from "../../protocols/ports/privacy.ts"
import { Sites } from "../../protocols/ports/sites.ts"
import type { DatabaseAway, SimulatedDatabase, StoredFrame } from "../../sim/cluster/database.ts"
import type { ClusterPlan } from "../../sim/cluster/plan.ts"
import type { SimulatedProcess } from "../../sim/cluster/process.ts"
import { layerPrivacyClasses } from "../settings/edge-settings.ts"

/** The routers of an environment. */
export const routersOf = ({ routersPerEnvironment }: ClusterPlan, environmentId: string): ReadonlyArray<string> =>
  Array.from({ length: routersPerEnvironment }, (_, i) => `${environmentId}.${i + 1}`)

/** The environment of a router; null for another name. */
const environmentOf = ({ environments }: ClusterPlan, routerId: string): string | null =>
  environments.find((environmentId) => routerId.startsWith(`${environmentId}.`)) ?? null

const orUnavailable = <A>(effect: Effect.Effect<A, DatabaseAway>): Effect.Effect<A, StoreUnavailable> =>
  Effect.mapError(effect, ({ message }) => new StoreUnavailable({ message }))

const running: SystemSession = {
  status: "running",
  sessionId: "simulation",
  startedAtMs: 0,
  estimatedReadyMs: null,
  steps: [],
  options: defaultStartOptions,
  failure: null,
}

const directoryOf = (plan: ClusterPlan): Directory["Service"] => {
  const environments = plan.environments.map((environmentId) => ({
    environmentId,
    name: environmentId,
    geometry: null,
  }))
  return {
    environments: Effect.succeed(environments),
    routers: Effect.succeed(
      plan.environments.flatMap((environmentId) =>
        routersOf(plan, environmentId).map((routerId) => ({ routerId, environmentId }))
      ),
    ),
    environment: (id) => {
      const found = environments.find(({ environmentId }) => environmentId === id)
      return found === undefined ? Effect.fail(UnknownEnvironment.of(id)) : Effect.succeed(found)
    },
    environmentOf: (routerId) => Effect.succeed(environmentOf(plan, routerId)),
    enrol: () => Effect.void,
  }
}

const positionOf = ({ frameId, timestampMs }: StoredFrame): FramePosition => ({
  timestampUs: timestampMs * 1000,
  environmentId: null,
  frameId,
})

/** The part of the history that streams of frames read. */
const historyOf = (database: SimulatedDatabase, process: SimulatedProcess): FrameHistory["Service"] => {
  const read = <A>(statement: () => A) => orUnavailable(database.call(process, "history", statement))
  const unused = Effect.die("no stream of frames asks for this")
  return {
    available: () => unused,
    has: () => unused,
    persons: () => unused,
    resumePoint: ({ afterFrameId, environmentId, framesMax }) =>
      read(() => {
        const frames = database.framesOf(environmentId)
        const newest = frames.at(-1)
        if (newest === undefined) return null
        const first = frames.slice(-framesMax).find(({ frameId }) => frameId > afterFrameId)
        return { newestFrameId: newest.frameId, first: first === undefined ? null : positionOf(first) }
      }),
    frames: ({ after, limit, range }) =>
      read(() => {
        const page = database.framesOf(range.environmentId!).filter(({ frameId }) => frameId > (after?.frameId ?? 0))
          .slice(0, limit)
        const last = page.at(-1)
        return {
          frames: page.map(({ body }) => decodePoseFrame(body)),
          next: page.length < limit || last === undefined ? null : positionOf(last),
          total: null,
        }
      }),
  }
}

const memoriesOf = (database: SimulatedDatabase, process: SimulatedProcess): EnvironmentMemories["Service"] => ({
  leave: (environmentId, memory) =>
    orUnavailable(database.call(process, "leave memory", () => void database.memories.set(environmentId, memory))),
  read: (environmentId) =>
    orUnavailable(database.call(process, "read memory", () => {
      const memory = database.memories.get(environmentId)
      if (memory === undefined) return null
      const remove = database.call(process, "remove memory", () => {
        if (database.memories.get(environmentId) === memory) database.memories.delete(environmentId)
      })
      return { memory, isLate: false, remove: orUnavailable(remove) }
    })),
})

/**
 * The stores of a process.
 *
 * @param shardOf the shard of an environment
 */
export const layerSimulatedStores = (
  plan: ClusterPlan,
  database: SimulatedDatabase,
  process: SimulatedProcess,
  shardOf: (environmentId: string) => string,
) => {
  const frames = FrameStore.of({
    append: (environmentId, ...some) =>
      orUnavailable(
        database.call(process, "append", () =>
          some.every(({ body, frameId, generation, timestampMs }) => {
            const frame = { frameId, generation, timestampMs, body, writer: process.name }
            return database.append(environmentId, shardOf(environmentId), frame)
          })),
      ),
    claim: (environmentId) =>
      orUnavailable(database.call(process, "claim", () => database.claim(environmentId, process.name))),
    newest: (environmentId) =>
      orUnavailable(database.call(process, "newest", () => database.framesOf(environmentId).at(-1) ?? null)),
  })
  return Layer.mergeAll(
    Layer.succeed(FrameStore, frames),
    Layer.succeed(EnvironmentMemories, memoriesOf(database, process)),
    Layer.succeed(EventStore, { append: () => Effect.void, incidents: () => Effect.succeed([]) }),
    Layer.succeed(TrackStore, { append: () => Effect.void }),
    Layer.succeed(LearnedWeeks, { load: () => Effect.succeed(null), save: () => Effect.void }),
    Layer.succeed(NodeRegistry, {
      standingOf: () => Effect.succeed({ standing: "seen", signed: null }),
      network: Effect.die("a simulated node is not asked for its network"),
    }),
    layerPrivacyClasses({ standard: 2, byNode: new Map() }),
    Layer.succeed(ReferenceStore, { load: () => Effect.succeed(null), save: () => Effect.void }),
    Layer.succeed(SessionStore, { load: Effect.succeed(running), save: () => Effect.void }),
    Layer.succeed(Directory, directoryOf(plan)),
    Layer.succeed(Sites, { siteOf: (actorId: string) => environmentOf(plan, actorId) }),
    Layer.succeed(Privacy, { current: Effect.succeed(defaultPrivacy) }),
    Layer.succeed(FrameHistory, historyOf(database, process)),
    Layer.succeed(PoseModels, {
      own: null,
      find: (modelVersion) => Effect.fail(new UnknownModel({ modelVersion, message: "there are no models" })),
    }),
    NodeCrypto.layerSecureRandom,
  )
}
