/**
 * Gathers what system status reports: the session, its environments, the store and this machine. Of an environment whose newest frame is
 * late, it asks the routers too, and judges who is behind.
 *
 * An environment or a store that does not answer in time is reported as such and delays nobody further.
 */
import { Cause, Clock, Context, Effect, Layer } from "effect"
import type { Sharding } from "effect/cluster"
import { behindOf, type RouterTiming, type Timing } from "../../../protocols/domain/behind.ts"
import type { ActorUnavailable, AnswerTimeout, StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { latenessOfAge } from "../../../protocols/domain/lateness.ts"
import type { EnvironmentReport, SystemReport } from "../../../protocols/pose-api/system-status.ts"
import { DatabaseHealth } from "../../../protocols/ports/database-health.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { GivenUpActors } from "../../../protocols/messages/unavailable-actors.ts"
import { Router, type RouterStatus } from "../../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../../protocols/messages/session.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { makeHostUsage } from "./host-usage.ts"
import { makeLoopLag } from "./loop-lag.ts"

const answerMsMax = 2_000
const concurrency = 16
/** Routers of a late environment that are asked, and how long each has to answer. */
const routersAskedMax = 64
const routerAnswerMsMax = 500

const routerTiming = ({ clockOffsetMs, lastEventMs, lastPacketMs }: RouterStatus, nowMs: number): RouterTiming => ({
  silentMs: lastPacketMs === null ? null : Math.max(0, nowMs - lastPacketMs),
  arrivalLagMs: lastPacketMs === null || lastEventMs === null
    ? null
    : Math.max(0, lastPacketMs - lastEventMs - clockOffsetMs),
})

export class SystemReporter extends Context.Service<SystemReporter, {
  readonly report: Effect.Effect<SystemReport, StoreUnavailable | ActorUnavailable | AnswerTimeout>
  /** Longest delay of this node's event loop in the last ten seconds. */
  readonly loopLagMs: Effect.Effect<number>
}>()("wavepose/gateways/SystemReporter") {
  static readonly layer = (options: {
    readonly version: string
    /** A path on the disk whose use is reported. */
    readonly diskPath: string
    /** Longest delay of this node's event loop of late; default: it is measured. */
    readonly loopLagMs?: Effect.Effect<number> | undefined
  }): Layer.Layer<SystemReporter, never, Directory | DatabaseHealth | GivenUpActors | Sharding.Sharding> =>
    Layer.effect(SystemReporter, makeReporter(options))
}

const makeReporter = Effect.fnUntraced(function* (options: Parameters<typeof SystemReporter.layer>[0]) {
  const session = yield* Session.client
  const environment = yield* Environment.client
  const directory = yield* Directory
  const { check } = yield* DatabaseHealth
  const givenUpActors = yield* GivenUpActors
  const hostUsage = yield* makeHostUsage(options.diskPath)
  const loopLagMs = options.loopLagMs ?? (yield* makeLoopLag)
  const router = yield* Router.client

  const describe = (environmentId: string): Effect.Effect<EnvironmentReport> =>
    ask(`Environment ${environmentId}`, environment(environmentId).Describe(), answerMsMax).pipe(
      Effect.map((status): EnvironmentReport => ({ environmentId, status })),
      Effect.catchCause((cause) => {
        const reason = `Environment ${environmentId} did not answer.`
        return Effect.as(Effect.logDebug(reason, Cause.pretty(cause)), { environmentId, status: null, reason })
      }),
    )

  const database = check.pipe(
    Effect.timeout(answerMsMax),
    Effect.map(({ used, capacity }) => ({ used, capacity })),
    Effect.catchCause((cause) => Effect.as(Effect.logDebug("The store did not answer", Cause.pretty(cause)), null)),
  )

  /** When the routers of an environment were heard; those that do not answer are left out. */
  const timingsOf = Effect.fnUntraced(function* (environmentId: string) {
    const enrolments = yield* directory.routers.pipe(Effect.catch(() => Effect.succeed([])))
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

  /** Who is behind, where the newest frame is late. */
  const judged = (measured: Pick<Timing, "storeAnswers" | "cpu" | "loopLagMs">) =>
    Effect.fnUntraced(function* (of: EnvironmentReport) {
      const { status } = of
      if (status === null || status.frameAgeMs === null || latenessOfAge(status.frameAgeMs) === "on_time") return of
      return { ...of, behind: behindOf({ ...measured, ...status, routers: yield* timingsOf(of.environmentId) }) }
    })

  const report = Effect.gen(function* () {
    const status = yield* ask("The system session", session(sessionEntityId).Status(), answerMsMax)
    const only = status.options.environmentId
    const ids = only === null ? (yield* directory.environments).map(({ environmentId }) => environmentId) : [only]
    const [environments, store, host, givenUp] = yield* Effect.all(
      [Effect.forEach(ids, describe, { concurrency }), database, hostUsage, givenUpActors.current],
      { concurrency: "unbounded" },
    )
    const judge = judged({ storeAnswers: store !== null, cpu: host.cpu, loopLagMs: yield* loopLagMs })
    return {
      session: status,
      environments: yield* Effect.forEach(environments, judge, { concurrency }),
      database: store,
      givenUp,
      host,
      version: options.version,
    }
  })

  return { report, loopLagMs }
})
