/**
 * Gathers what system status reports: the session, its environments, the store and this machine.
 *
 * An environment or a store that does not answer in time is reported as such and delays nobody further.
 */
import { Cause, Context, Effect, Layer } from "effect"
import type { Sharding } from "effect/cluster"
import type { ActorUnavailable, StoreUnavailable } from "../../protocols/domain/failure.ts"
import type { AnswerTimeout } from "../../protocols/http/errors.ts"
import type { EnvironmentReport, SystemReport } from "../../protocols/http/system-status.ts"
import { DatabaseHealth } from "../../protocols/messages/database-health.ts"
import { Directory } from "../../protocols/messages/directory.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { GivenUpActors } from "../../protocols/messages/escalations.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { ask } from "../middleware/ask.ts"
import { makeHostUsage } from "./host-usage.ts"

const answerMsMax = 2_000
const concurrency = 16

export class SystemReporter extends Context.Service<SystemReporter, {
  readonly report: Effect.Effect<SystemReport, StoreUnavailable | ActorUnavailable | AnswerTimeout>
}>()("wavepose/gateways/SystemReporter") {
  static readonly layer = (options: {
    readonly version: string
    /** A path on the disk whose use is reported. */
    readonly diskPath: string
  }): Layer.Layer<SystemReporter, never, Directory | DatabaseHealth | GivenUpActors | Sharding.Sharding> =>
    Layer.effect(SystemReporter, makeReporter(options))
}

const makeReporter = Effect.fnUntraced(function* (options: { readonly version: string; readonly diskPath: string }) {
  const session = yield* Session.client
  const environment = yield* Environment.client
  const directory = yield* Directory
  const { check } = yield* DatabaseHealth
  const givenUpActors = yield* GivenUpActors
  const hostUsage = yield* makeHostUsage(options.diskPath)

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

  const report = Effect.gen(function* () {
    const status = yield* ask("The system session", session(sessionEntityId).Status(), answerMsMax)
    const only = status.options.environmentId
    const ids = only === null ? (yield* directory.environments).map(({ environmentId }) => environmentId) : [only]
    const [environments, store, host, givenUp] = yield* Effect.all(
      [Effect.forEach(ids, describe, { concurrency }), database, hostUsage, givenUpActors.current],
      { concurrency: "unbounded" },
    )
    return { session: status, environments, database: store, givenUp, host, version: options.version }
  })

  return { report }
})
