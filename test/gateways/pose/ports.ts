/** Doubles of the ports that a pose gateway reads: plain objects that answer what a `World` says. */
import { Effect, Layer, Queue, Stream } from "effect"
import { DatagramListener } from "../../../gateways/datagrams/listener.ts"
import { FrameHub } from "../../../gateways/frames/frame-hub.ts"
import type { SharedFrame } from "../../../gateways/frames/shared-frame.ts"
import { StoreUnavailable, UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import { TooManyWebhooks, type Webhook, webhooksMax } from "../../../protocols/domain/webhook.ts"
import { ConfigurationHistory } from "../../../protocols/ports/configuration.ts"
import { Analytics } from "../../../protocols/ports/analytics.ts"
import { DatabaseHealth } from "../../../protocols/ports/database-health.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { Enrolments } from "../../../protocols/ports/enrolments.ts"
import { FrameHistory } from "../../../protocols/ports/frame-history.ts"
import { FrameSummaries } from "../../../protocols/ports/frame-summaries.ts"
import { TrackHistory } from "../../../protocols/ports/track-history.ts"
import { Webhooks } from "../../../protocols/ports/webhooks.ts"
import { makeWebhook, type World } from "./world.ts"

const storeDown = new StoreUnavailable({ message: "The store does not answer." })

export const webhooksDouble = ({ webhooks }: World): Webhooks["Service"] => ({
  create: ({ secret, ...order }) =>
    Effect.suspend(() => {
      if (webhooks.size >= webhooksMax) return Effect.fail(TooManyWebhooks.now)
      const webhook: Webhook = { ...makeWebhook(`webhook-${webhooks.size + 1}`), ...order }
      webhooks.set(webhook.webhookId, webhook)
      return Effect.succeed({ webhook, secret: secret ?? "whsec_made" })
    }),
  all: Effect.sync(() => [...webhooks.values()]),
  one: (webhookId) => Effect.sync(() => webhooks.get(webhookId) ?? null),
  remove: (webhookId) => Effect.sync(() => webhooks.delete(webhookId)),
})

export const historyDouble = (world: World): ConfigurationHistory["Service"] => ({
  changes: (before, limit) =>
    Effect.sync(() => world.changes.filter(({ revision }) => before === null || revision < before).slice(0, limit)),
})

export const directoryDouble = (world: World): Directory["Service"] => ({
  environments: Effect.suspend(() => world.storeFails ? Effect.fail(storeDown) : Effect.succeed(world.environments)),
  routers: Effect.sync(() => ["node-1", "node-2"].map((routerId) => ({ routerId, environmentId: "living-room" }))),
  environment: (environmentId) => {
    const found = world.environments.find((site) => site.environmentId === environmentId)
    return found === undefined ? Effect.fail(UnknownEnvironment.of(environmentId)) : Effect.succeed(found)
  },
  environmentOf: (routerId) => Effect.succeed(world.routers.get(routerId)?.environmentId ?? null),
  enrol: () => Effect.void,
})

export const enrolmentsDouble = (world: World): Enrolments["Service"] => ({
  all: Effect.suspend(() =>
    world.storeFails ? Effect.fail(storeDown) : Effect.succeed(world.environments.map((environment) => ({
      environment,
      routerIds: ["node-1"],
      origin: { source: "live" as const, name: null },
      active: true,
      enrolledAtMs: 0,
    })))
  ),
  remove: (environmentId) =>
    Effect.sync(() => {
      const kept = world.environments.filter((site) => site.environmentId !== environmentId)
      const found = kept.length < world.environments.length
      world.environments = kept
      return found
    }),
  dropHistory: () => Effect.succeed({ frames: 3, events: 2, tracks: 1 }),
})

export const hubDouble = (world: World): FrameHub["Service"] => ({
  latest: (environmentId) => {
    const answer = world.latest(environmentId)
    if (answer === "broken") return Effect.die(new Error("secret detail"))
    if (world.gate !== null) return Effect.as(Effect.promise(() => world.gate!), answer as SharedFrame)
    return "_tag" in answer ? Effect.fail(answer) : Effect.succeed(answer)
  },
  watch: (environmentId) =>
    Stream.unwrap(Effect.gen(function* () {
      const queue = yield* Queue.sliding<SharedFrame>(64)
      const watchers = world.watched.get(environmentId) ?? new Set()
      world.watched.set(environmentId, watchers.add(queue))
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          watchers.delete(queue)
          if (watchers.size === 0) world.watched.delete(environmentId)
        })
      )
      return Stream.fromQueue(queue)
    })),
})

/** A store in which nothing is. */
export const nothingStored = Layer.mergeAll(
  Layer.succeed(FrameHistory, {
    available: () => Effect.succeed(null),
    has: () => Effect.succeed(false),
    resumePoint: () => Effect.succeed(null),
    frames: () => Effect.succeed({ frames: [], next: null, total: { count: 0, reason: null } }),
    persons: () => Effect.succeed({ entries: [], hasMore: false, total: { count: 0, reason: null } }),
  }),
  Layer.succeed(FrameSummaries, {
    ask: () => Effect.succeed({ rows: [], next: null, recordsScanned: 0, cacheHit: false }),
  }),
  Layer.succeed(TrackHistory, {
    track: () => Effect.succeed(null),
    trajectory: () => Effect.succeed({ points: [], intervalS: null }),
  }),
)

export const listenerDouble = ({ datagrams }: World): DatagramListener["Service"] => ({
  ruview: { host: "127.0.0.1", port: 5005, counts: Effect.sync(() => datagrams.ruview) },
  nexmon: { host: "127.0.0.1", port: 5500, counts: Effect.sync(() => datagrams.nexmon) },
})

/** A store in which nothing is. */
export const analyticsDouble = (world: World): Analytics["Service"] => {
  const stored = <A>(value: A) =>
    Effect.suspend(() => world.storeFails ? Effect.fail(storeDown) : Effect.succeed(value))
  const nobody = { entrance: 0, product: 0, checkout: 0, purchase: 0 }
  return {
    sums: () => stored([]),
    peak: () => stored(null),
    spans: () => stored([]),
    buckets: () => stored([]),
    rates: () => stored([]),
    movement: () => stored({ tracks: 0, begun: 0, dwellS: 0, distanceM: 0, movingS: 0 }),
    arrivals: () => stored(new Map()),
    trackBuckets: () => stored([]),
    zoneVisits: () => stored([]),
    stages: () => stored(nobody),
    entries: () => stored({ all: 0, intruding: 0 }),
    eventCounts: () => stored({ movements: 0, falls: 0, alerts: 0 }),
    incidents: () => stored({ count: 0, newest: [] }),
    events: (_, { before }) => stored(before === null ? [] : null),
  }
}

export const databaseDouble = (world: World): DatabaseHealth["Service"] => ({
  check: Effect.suspend(() =>
    world.storeFails ? Effect.fail(storeDown) : Effect.succeed({ latencyMs: 1, used: 2, capacity: 10 })
  ),
})
