/**
 * Gathers what system status reports: the session, its environments, the store and this machine. For an environment whose newest frame is
 * late, it also asks the routers and determines which stage is behind.
 *
 * An environment or a store that does not answer in time is reported as such and delays no other part of the report.
 */
import { Cause, Clock, Context, Effect, Layer } from "effect"
import type { Sharding } from "effect/cluster"
import { behindOf, type RouterTiming, type Timing } from "../../../protocols/domain/behind.ts"
import type { ActorUnavailable, AnswerTimeout, StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { latenessOfAge } from "../../../protocols/domain/lateness.ts"
import type { RouterEnrolment } from "../../../protocols/domain/site.ts"
import type { SystemSession } from "../../../protocols/domain/system.ts"
import type { EnvironmentReport, KnownReport, SystemReport } from "../../../protocols/pose-api/system-status.ts"
import { DatabaseHealth } from "../../../protocols/ports/database-health.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { UnavailableActors } from "../../../protocols/messages/unavailable-actors.ts"
import { Router, type RouterStatus } from "../../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../../protocols/messages/session.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { makeHostUsage } from "./host-usage.ts"
import { Inventory } from "./inventory.ts"
import { makeLoopLag } from "./loop-lag.ts"

const answerMsMax = 2_000
const concurrency = 16
/** Routers of a late environment that are asked, and how long each has to answer. */
const routersAskedMax = 64
const routerAnswerMsMax = 500

type SessionFailure = StoreUnavailable | ActorUnavailable | AnswerTimeout

export class SystemReporter extends Context.Service<SystemReporter, {
  readonly report: Effect.Effect<SystemReport, SessionFailure>
  /** The report as far as it is known. */
  readonly knownReport: Effect.Effect<KnownReport, StoreUnavailable>
  /** Longest delay of this node's event loop in the last ten seconds. */
  readonly loopLagMs: Effect.Effect<number>
}>()("wavepose/gateways/SystemReporter") {
  static readonly layer = (options: {
    readonly version: string
    /** A path on the disk whose use is reported. */
    readonly diskPath: string
    /** Longest delay of this node's event loop in the last ten seconds; measured by default. */
    readonly loopLagMs?: Effect.Effect<number> | undefined
  }): Layer.Layer<SystemReporter, never, Inventory | DatabaseHealth | UnavailableActors | Sharding.Sharding> =>
    Layer.effect(SystemReporter, makeReporter(options))
}

const routerTiming = ({ clockOffsetMs, lastEventMs, lastPacketMs }: RouterStatus, nowMs: number): RouterTiming => ({
  silentMs: lastPacketMs === null ? null : Math.max(0, nowMs - lastPacketMs),
  arrivalLagMs: lastPacketMs === null || lastEventMs === null
    ? null
    : Math.max(0, lastPacketMs - lastEventMs - clockOffsetMs),
})

/** What the reporter asks. */
interface Sources {
  readonly session: Effect.Success<typeof Session.client>
  readonly environment: Effect.Success<typeof Environment.client>
  readonly router: Effect.Success<typeof Router.client>
  readonly inventory: Inventory["Service"]
  readonly database: DatabaseHealth["Service"]
  readonly unavailable: UnavailableActors["Service"]
}

const describeEnvironment = ({ environment }: Sources, environmentId: string): Effect.Effect<EnvironmentReport> =>
  ask(`Environment ${environmentId}`, environment(environmentId).Describe(), answerMsMax).pipe(
    Effect.map((status): EnvironmentReport => ({ environmentId, status })),
    Effect.catchCause((cause) => {
      const reason = `Environment ${environmentId} did not answer.`
      return Effect.as(Effect.logDebug(reason, Cause.pretty(cause)), { environmentId, status: null, reason })
    }),
  )

/** The pool of the database; null when it does not answer in time. */
const describeDatabase = ({ database }: Sources): Effect.Effect<SystemReport["database"]> =>
  database.check.pipe(
    Effect.timeout(answerMsMax),
    Effect.map(({ used, capacity }) => ({ used, capacity })),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logDebug("the store did not answer the system report", Cause.pretty(cause)), null)
    ),
  )

/** When the routers of an environment were last heard. Routers that do not answer are left out. */
const routerTimings = Effect.fnUntraced(function* (
  { router }: Sources,
  environmentId: string,
  enrolments: ReadonlyArray<RouterEnrolment>,
) {
  const asked = enrolments.filter((router) => router.environmentId === environmentId).slice(0, routersAskedMax)
  const answers = yield* Effect.forEach(
    asked,
    ({ routerId }) =>
      router(routerId).Describe().pipe(
        Effect.timeout(routerAnswerMsMax),
        Effect.map((status) => [status]),
        Effect.catchCause((cause) =>
          Effect.as(Effect.logDebug(`Router ${routerId} did not answer.`, Cause.pretty(cause)), [])
        ),
      ),
    { concurrency },
  )
  const nowMs = yield* Clock.currentTimeMillis
  return answers.flat().map((status) => routerTiming(status, nowMs))
})

const isLate = ({ status }: EnvironmentReport): boolean =>
  status !== null && status.frameAgeMs !== null && latenessOfAge(status.frameAgeMs) !== "on_time"

/** Adds to the reports of environments whose newest frame is late which stage is behind. */
const withBehind = Effect.fnUntraced(function* (
  sources: Sources,
  reports: ReadonlyArray<EnvironmentReport>,
  measured: Pick<Timing, "storeAnswers" | "cpu" | "loopLagMs">,
) {
  if (!reports.some(isLate)) return reports
  const enrolments = yield* sources.inventory.routers.pipe(Effect.catch(() => Effect.succeed({ items: [] })))
  const attributed = Effect.fnUntraced(function* (report: EnvironmentReport) {
    const { environmentId, status } = report
    if (status === null || !isLate(report)) return report
    const routers = yield* routerTimings(sources, environmentId, enrolments.items)
    return { ...report, behind: behindOf({ ...measured, ...status, routers }) }
  })
  return yield* Effect.forEach(reports, attributed, { concurrency })
})

const makeReporter = Effect.fnUntraced(function* (options: Parameters<typeof SystemReporter.layer>[0]) {
  const sources: Sources = {
    session: yield* Session.client,
    environment: yield* Environment.client,
    router: yield* Router.client,
    inventory: yield* Inventory,
    database: yield* DatabaseHealth,
    unavailable: yield* UnavailableActors,
  }
  const hostUsage = yield* makeHostUsage(options.diskPath)
  const loopLagMs = options.loopLagMs ?? (yield* makeLoopLag)

  const asked = ask("The system session", sources.session(sessionEntityId).Status(), answerMsMax)
  const gather = Effect.fnUntraced(function* (session: SystemSession | null) {
    const { inventory, unavailable } = sources
    const only = session?.options.environmentId ?? null
    const ids = only === null ? (yield* inventory.environments).items.map(({ environmentId }) => environmentId) : [only]
    const describe = (environmentId: string) => describeEnvironment(sources, environmentId)
    const [environments, database, host, unavailableActors] = yield* Effect.all(
      [Effect.forEach(ids, describe, { concurrency }), describeDatabase(sources), hostUsage, unavailable.current],
      { concurrency: "unbounded" },
    )
    const measured = { storeAnswers: database !== null, cpu: host.cpu, loopLagMs: yield* loopLagMs }
    return {
      environments: yield* withBehind(sources, environments, measured),
      database,
      unavailableActors,
      host,
      version: options.version,
    }
  })

  const reportOf = (session: SystemSession) => Effect.map(gather(session), (rest) => ({ ...rest, session }))
  return {
    report: Effect.flatMap(asked, reportOf),
    knownReport: Effect.matchEffect(asked, {
      onSuccess: (session): Effect.Effect<KnownReport, StoreUnavailable> => reportOf(session),
      onFailure: ({ message }) => Effect.map(gather(null), (rest) => ({ ...rest, session: null, reason: message })),
    }),
    loopLagMs,
  }
})
