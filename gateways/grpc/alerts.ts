/**
 * `EventService.WatchAlerts`: the open alerts of an environment, or of all, then each new one and each later revision.
 *
 * Invariant: an alert is never dropped. A stream whose client leaves too many unread ends with `Overloaded`.
 */
import { Cause, Effect, Queue, type Scope, Stream } from "effect"
import type { Sharding } from "effect/cluster"
import { codecOf } from "../../protocols/grpc/contract/transcode.ts"
import type { Directory } from "../../protocols/ports/directory.ts"
import { Overloaded } from "../../protocols/pose-api/edge-failures.ts"
import { alertBody, alertFilterOf, readAlertFilters } from "../../protocols/pose-api/socket-alert.ts"
import { EnrolledEnvironments, spanEnvironments } from "../frames/enrolled-environments.ts"
import { environmentAsked } from "../pose/routes/environment-asked.ts"
import { makeAlertFeeds } from "../pose/socket/alert-feeds.ts"
import { readRequest } from "./calls.ts"
import type { CallFailure } from "./status.ts"

/** Alerts that wait for one client. */
const waitingMax = 1_000

const tooSlow = new Overloaded({
  limit: waitingMax,
  message: `${waitingMax} alerts wait for this client, which is the limit. Read faster, and open the stream again.`,
})

/** The encoded answers to an encoded request. */
export type WatchAlerts = (request: Uint8Array) => Stream.Stream<Uint8Array, CallFailure>

export const makeWatchAlerts: Effect.Effect<
  WatchAlerts,
  never,
  Directory | EnrolledEnvironments | Sharding.Sharding | Scope.Scope
> = Effect.gen(function* () {
  const feeds = yield* makeAlertFeeds
  const enrolled = yield* EnrolledEnvironments
  const services = yield* Effect.context<Directory>()
  const request = codecOf("WatchAlertsRequest")
  const response = codecOf("WatchAlertsResponse")

  const watch = (environmentId: string | null, filter: ReturnType<typeof alertFilterOf>) =>
    Stream.callback<Uint8Array, CallFailure>((queue) => {
      const fail = (failure: CallFailure) => Queue.failCauseUnsafe(queue, Cause.fail(failure))
      const join = (id: string, gone: () => void) =>
        feeds.subscribe(id, filter, {
          alert: (alert, known, nowMs) => {
            const body = response.encode({ alert: { ...alertBody.bare(alert, nowMs) }, update: known })
            if (!Queue.offerUnsafe(queue, body)) fail(tooSlow)
          },
          ended: (failure) => environmentId === null ? gone() : fail(failure),
        })
      return Effect.acquireRelease(
        Effect.sync(() => environmentId === null ? spanEnvironments(enrolled, join) : join(environmentId, () => {})),
        (leave) => Effect.sync(leave),
      )
    }, { bufferSize: waitingMax, strategy: "dropping" })

  return (bytes) =>
    Stream.unwrap(Effect.gen(function* () {
      const filters = yield* Effect.fromResult(readAlertFilters(yield* readRequest(request.decode, bytes)))
      const environmentId = yield* environmentAsked(filters.environment_id)
      // A subscription begins with the current environments, or fails.
      yield* enrolled.ids
      return watch(environmentId, alertFilterOf(filters))
    })).pipe(Stream.provide(services))
})
