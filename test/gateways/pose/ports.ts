/** Doubles of the ports that a pose gateway reads: plain objects that answer what a `World` says. */
import { Effect, Layer, Queue, Stream } from "effect"
import { createHash } from "node:crypto"
import { DatagramListener } from "../../../gateways/datagrams/listener.ts"
import { FrameHub } from "../../../gateways/frames/frame-hub.ts"
import type { SharedFrame } from "../../../gateways/frames/shared-frame.ts"
import {
  EnrolmentConflict,
  EnvironmentMoved,
  StoreUnavailable,
  SystemConflict,
  UnknownEnvironment,
} from "../../../protocols/domain/failure.ts"
import { TooManyWebhooks, type Webhook, webhooksMax } from "../../../protocols/domain/webhook.ts"
import { ConfigurationHistory } from "../../../protocols/ports/configuration.ts"
import { Alerts } from "../../../protocols/ports/alerts.ts"
import { Analytics } from "../../../protocols/ports/analytics.ts"
import type { CoverageJob, CoverageSimulations } from "../../../protocols/ports/coverage-simulations.ts"
import { DatabaseHealth } from "../../../protocols/ports/database-health.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { type Enrolled, Enrolments } from "../../../protocols/ports/enrolments.ts"
import { FrameHistory } from "../../../protocols/ports/frame-history.ts"
import { FrameSummaries } from "../../../protocols/ports/frame-summaries.ts"
import { TrackHistory } from "../../../protocols/ports/track-history.ts"
import type { Labels } from "../../../protocols/ports/labels.ts"
import type { WebhookProbe } from "../../../protocols/ports/webhook-probe.ts"
import { Webhooks } from "../../../protocols/ports/webhooks.ts"
import { makeWebhook, type World } from "./world.ts"

const storeDown = new StoreUnavailable({ message: "The store does not answer." })

export const webhooksDouble = ({ webhooks }: World): Webhooks["Service"] => ({
  create: ({ secret, ...order }) =>
    Effect.suspend(() => {
      if (webhooks.size >= webhooksMax) return Effect.fail(TooManyWebhooks.now)
      const webhook: Webhook = {
        ...makeWebhook(`00000000-0000-7000-8000-${String(webhooks.size + 1).padStart(12, "0")}`),
        ...order,
      }
      webhooks.set(webhook.webhookId, webhook)
      return Effect.succeed({ webhook, secret: secret ?? "whsec_made" })
    }),
  all: Effect.sync(() => [...webhooks.values()]),
  one: (webhookId) => Effect.sync(() => webhooks.get(webhookId) ?? null),
  change: (webhookId, { enabled = true, ...changes }, by) =>
    Effect.sync(() => {
      const webhook = webhooks.get(webhookId)
      if (webhook === undefined) return null
      const disabled = enabled
        ? { disabledAtMs: null, disabledReason: null }
        : { disabledAtMs: webhook.createdAtMs, disabledReason: `Disabled by ${by}.` }
      const changed: Webhook = { ...webhook, ...changes, ...disabled }
      webhooks.set(webhookId, changed)
      return changed
    }),
  remove: (webhookId) => Effect.sync(() => webhooks.delete(webhookId)),
})

export const probeDouble = ({ webhooks }: World): WebhookProbe["Service"] => ({
  test: (webhookId) =>
    Effect.sync(() => {
      const webhook = webhooks.get(webhookId)
      return webhook === undefined
        ? null
        : { sentAtMs: webhook.createdAtMs, latencyMs: 12, error: "The endpoint answered 500." }
    }),
})

/** Simulations are done at once; with four antennas, the node is busy with another one. That of the living room is running at first. */
export const coverageDouble = (): CoverageSimulations["Service"] => {
  const startedAtMs = 1_700_000_000_000
  const jobs = new Map<string, CoverageJob>([["living-room", {
    request: {
      environmentId: "living-room",
      geometry: { size: [5, 4, 2.5], nodes: [] },
      receivers: [],
      antennas: 3,
      candidates: [],
    },
    startedAtMs,
    outcome: { state: "running", progress: 0.4 },
  }]])
  return {
    start: (request) => {
      if (request.antennas === 4) {
        return Effect.fail(new SystemConflict({ status: "simulating", message: "Another room is being simulated." }))
      }
      const figures = { errorM: 0.31, missedShare: 0.02, moments: 900 }
      const squares = [{ x: 0.5, y: 0.5, ...figures }]
      const candidates = request.candidates.map((position) => ({ position, errorM: 0.2, missedShare: 0 }))
      const result = { squareM: 1, squares, ...figures, candidates }
      const job: CoverageJob = { request, startedAtMs, outcome: { state: "done", result } }
      jobs.set(request.environmentId, job)
      return Effect.succeed(job)
    },
    newest: (environmentId) => Effect.sync(() => jobs.get(environmentId) ?? null),
  }
}

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

const enrolledOf = (world: World, environment: World["environments"][number]): Enrolled => {
  const routerIds = world.enrolledRouters.get(environment.environmentId) ?? ["node-1"]
  const content = JSON.stringify([environment, routerIds])
  return {
    environment,
    routerIds,
    origin: { source: "live", name: null },
    active: true,
    enrolledAtMs: 0,
    revision: createHash("md5").update(content).digest("hex"),
  }
}

export const enrolmentsDouble = (world: World): Enrolments["Service"] => {
  const all = Effect.suspend(() =>
    world.storeFails
      ? Effect.fail(storeDown)
      : Effect.succeed(world.environments.map((each) => enrolledOf(world, each)))
  )
  const one = Effect.fnUntraced(function* (environmentId: string) {
    const known = yield* all
    return known.find(({ environment }) => environment.environmentId === environmentId) ??
      (yield* UnknownEnvironment.among(environmentId, known.map(({ environment }) => environment.environmentId)))
  })
  /** A router of another environment of the world. */
  const checkRouters = Effect.fnUntraced(function* (environmentId: string, routerIds: ReadonlyArray<string>) {
    for (const { environment, routerIds: taken } of yield* all) {
      const router = taken.find((routerId) => routerIds.includes(routerId))
      if (router === undefined || environment.environmentId === environmentId) continue
      return yield* EnrolmentConflict.ofRouter(router, environment.environmentId)
    }
  })
  return {
    all,
    one,
    create: Effect.fnUntraced(function* (environment, { routerIds }) {
      const { environmentId } = environment
      if ((yield* all).some((each) => each.environment.environmentId === environmentId)) {
        return yield* EnrolmentConflict.ofEnvironment(environmentId)
      }
      yield* checkRouters(environmentId, routerIds)
      world.environments = [...world.environments, environment]
      world.enrolledRouters.set(environmentId, routerIds)
      return enrolledOf(world, environment)
    }),
    change: Effect.fnUntraced(function* (environmentId, { routerIds, ...changes }, ifRevision) {
      const { environment, revision } = yield* one(environmentId)
      if (ifRevision !== null && ifRevision !== revision) return yield* EnvironmentMoved.of(environmentId, revision)
      if (routerIds !== undefined) {
        yield* checkRouters(environmentId, routerIds)
        world.enrolledRouters.set(environmentId, routerIds)
      }
      world.environments = world.environments.map((each) => each === environment ? { ...each, ...changes } : each)
      return yield* one(environmentId)
    }),
    remove: (environmentId) =>
      Effect.sync(() => {
        const kept = world.environments.filter((site) => site.environmentId !== environmentId)
        const found = kept.length < world.environments.length
        world.environments = kept
        return found
      }),
    // The garage was removed before.
    dropHistory: (environmentId) =>
      Effect.succeed(
        ["living-room", "garage"].includes(environmentId)
          ? { frames: 3, events: 2, tracks: 1, rows: 8 }
          : { frames: 0, events: 0, tracks: 0, rows: 0 },
      ),
  }
}

export const hubDouble = (world: World): FrameHub["Service"] => ({
  latest: (environmentId) => {
    const answer = world.latest(environmentId)
    if (answer === "broken") return Effect.die(new Error("secret detail"))
    if (world.gate !== null) return Effect.as(Effect.promise(() => world.gate!), answer as SharedFrame)
    return "_tag" in answer ? Effect.fail(answer) : Effect.succeed(answer)
  },
  watch: (environmentId) =>
    Stream.unwrap(Effect.gen(function* () {
      const queue = yield* Queue.sliding<SharedFrame, UnknownEnvironment>(64)
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

export const alertsDouble = (world: World): Alerts["Service"] => ({
  list: ({ before, environmentId, limit, status }) =>
    Effect.suspend(() => {
      if (world.storeFails) return Effect.fail(storeDown)
      const from = before === null ? 0 : world.storedAlerts.findIndex(({ alertId }) => alertId === before) + 1
      if (before !== null && from === 0) return Effect.succeed(null)
      const alerts = world.storedAlerts.slice(from).filter((alert) =>
        (environmentId === null || alert.environmentId === environmentId) &&
        (status === null || alert.status === status)
      )
      return Effect.succeed(alerts.slice(0, limit))
    }),
})

export const labelsDouble = (world: World): Labels["Service"] => ({
  list: ({ environmentId, fromMs, limit, toMs }) =>
    Effect.suspend(() =>
      world.storeFails ? Effect.fail(storeDown) : Effect.succeed(
        world.labels.filter((label) =>
          label.environmentId === environmentId && label.toMs > (fromMs ?? -Infinity) &&
          label.fromMs < (toMs ?? Infinity)
        ).toSorted((a, b) => b.fromMs - a.fromMs).slice(0, limit),
      )
    ),
  add: (label) =>
    Effect.sync(() => {
      if (world.labels.some(({ fromMs, toMs }) => fromMs < label.toMs && toMs > label.fromMs)) return null
      const stored = { ...label, labelId: "00000000-0000-7000-8000-000000000001", createdMs: 0 }
      world.labels = [...world.labels, stored]
      return stored
    }),
  remove: (labelId) =>
    Effect.sync(() => {
      const before = world.labels.length
      world.labels = world.labels.filter((label) => label.labelId !== labelId)
      return world.labels.length < before
    }),
})

export const databaseDouble = (world: World): DatabaseHealth["Service"] => ({
  check: Effect.suspend(() =>
    world.storeFails ? Effect.fail(storeDown) : Effect.succeed({ latencyMs: 1, used: 2, capacity: 10 })
  ),
})
