/**
 * Handlers of the group Configuration. The Session actor owns the configuration; this file adds the measured values.
 */
import { Effect } from "effect"
import { warningsOf } from "../../../protocols/domain/configuration-change.ts"
import {
  changesDefault,
  configurationChanges,
  configurationSchema,
  getConfiguration,
  putConfiguration,
  readChanges,
  refusedReports,
  revisionOf,
} from "../../../protocols/pose-api/configuration.ts"
import type { Observed } from "../../../protocols/pose-api/configuration-fields.ts"
import { InvalidRequest } from "../../../protocols/pose-api/edge-failures.ts"
import { ConfigurationHistory } from "../../../protocols/ports/configuration.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { Router, type RouterStatus } from "../../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../../protocols/messages/session.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { changedBy } from "../../calls/changed-by.ts"
import { route } from "../server/route.ts"

/** How long a router has to answer. A router that does not answer is left out. */
const routerMsMax = 1_000
const fanOut = { concurrency: 16 } as const
/** Environments have 5 s to apply a change, and 5 s more to revert it if one fails. */
const applyMsMax = 15_000

const session = Effect.map(Session.client, (client) => client(sessionEntityId))

/** The value that all have in common; null if they differ or there is none. */
const common = <A>(values: ReadonlyArray<A>): A | null =>
  values.length > 0 && values.every((value) => value === values[0]) ? values[0]! : null

const observedOf = (name: string | null, routers: ReadonlyArray<RouterStatus | null>): Observed => {
  const known = routers.flatMap((router) => router === null ? [] : [router])
  const channels = known.flatMap(({ channel }) => channel === null ? [] : [channel])
  const taken = routers.map((router) => router?.calibration.takenAtMs ?? null)
  const times = taken.flatMap((atMs) => atMs === null ? [] : [atMs])
  return {
    environmentName: name,
    calibratedAtMs: times.length === 0 || times.length < taken.length ? null : Math.round(Math.min(...times)),
    antennaCount: common(channels.map(({ receiveAntennas }) => receiveAntennas)),
    subcarrierCount: common(channels.map(({ subcarriers }) => subcarriers)),
  }
}

/** The measured values of the routers in the running environment, or in all. */
const observe = Effect.fnUntraced(function* (environmentId: string | null) {
  const directory = yield* Directory
  const describe = yield* Router.client
  const environments = (yield* directory.environments).filter((each) =>
    environmentId === null || each.environmentId === environmentId
  )
  const ids = new Set(environments.map((each) => each.environmentId))
  const enrolled = (yield* directory.routers).filter((router) => ids.has(router.environmentId))
  const routers = yield* Effect.forEach(
    enrolled,
    ({ routerId }) =>
      Effect.orElseSucceed(ask(`Router ${routerId}`, describe(routerId).Describe(), routerMsMax), () => null),
    fanOut,
  )
  return observedOf(common(environments.map(({ name }) => name)), routers)
})

const current = Effect.flatMap(session, (actor) => ask("The system session", actor.Configuration()))

/** The revision for which a change is meant; null: any. */
const revisionMeant = (ifMatch: string | null): Effect.Effect<number | null, InvalidRequest> => {
  if (ifMatch === null || ifMatch.trim() === "*") return Effect.succeed(null)
  const revision = revisionOf(ifMatch)
  return revision === null
    ? Effect.fail(InvalidRequest.of("If-Match", "is neither the ETag of a configuration nor *", ifMatch.slice(0, 64)))
    : Effect.succeed(revision)
}

export const configurationRoutes = [
  route(getConfiguration, () =>
    Effect.gen(function* () {
      const state = yield* current
      return { ...state, observed: yield* observe(state.configuration.environmentId) }
    })),

  route(putConfiguration, ({ body, caller, ifMatch }) =>
    Effect.gen(function* () {
      const given = readChanges(body)
      if (!("changes" in given)) return yield* new InvalidRequest({ errors: given })
      const ifRevision = yield* revisionMeant(ifMatch)
      const before = yield* current
      const observed = yield* observe(before.configuration.environmentId)
      const refused = refusedReports(given.reports, observed)
      if (refused.length > 0) return yield* new InvalidRequest({ errors: refused })
      const order = { changes: given.changes, by: changedBy(caller), ifRevision }
      const configured = yield* ask("The system session", (yield* session).Configure(order), applyMsMax)
      return {
        configured,
        names: given.names,
        warnings: warningsOf(configured.configuration, configured.changed),
        observed,
      }
    })),

  route(configurationSchema, () => Effect.succeed(null)),

  route(configurationChanges, ({ query }) =>
    Effect.gen(function* () {
      const before = query.cursor === undefined ? null : revisionOf(`"r${query.cursor}"`)
      if (query.cursor !== undefined && before === null) {
        return yield* InvalidRequest.of("cursor", "is not the next_cursor of a page. Send it unchanged", query.cursor)
      }
      const limit = query.limit ?? changesDefault
      const changes = yield* (yield* ConfigurationHistory).changes(before, limit + 1)
      return { changes: changes.slice(0, limit), more: changes.length > limit }
    })),
]
