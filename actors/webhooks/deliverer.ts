/**
 * The deliverer of webhooks: one in the cluster, wherever its shard is. It sends what waits, and writes down what came of it.
 *
 * Boundary: what waits is `store/events/webhook-queue.ts`, how one message is sent `sender.ts`, and whether an event may leave `release.ts`.
 *
 * Invariants:
 * 1. A delivery is taken from the queue after its endpoint has taken it: each event is delivered at least once in its newest revision,
 *    whichever node dies. A try that is repeated has the same `webhook-id`.
 * 2. An endpoint that hangs or fails keeps no other one waiting, and is tried with one message at a time.
 * 3. What the privacy gate refuses is not sent: its delivery is given up, and the webhook and the node's health say why.
 * 4. At most `batchMax` messages of an endpoint are in memory, `parallelMax` under way.
 */
import { Clock, Effect, FiberMap, Random } from "effect"
import { Singleton } from "effect/cluster"
import { attemptsMax, failingMsMax, messageIdOf } from "../../protocols/domain/webhook.ts"
import { webhookMessage } from "../../protocols/pose-api/webhook-message.ts"
import { sensingGroup } from "../../protocols/messages/shard-groups.ts"
import { openSealed } from "../store/encryption/sealing.ts"
import { type DueDelivery, type DueEndpoint, WebhookQueue } from "../store/events/webhook-queue.ts"
import { secretContext } from "../store/events/webhooks.ts"
import { EgressStates } from "../../protocols/ports/egress.ts"
import { backOffMs } from "./back-off.ts"
import { makeReleaseEvent, type ReleaseEvent } from "./release.ts"
import { makeSend, type Send, type SenderOptions } from "./sender.ts"
import { signatureOf } from "./signature.ts"

const batchMax = 32
const parallelMax = 4
/** How often the queue is looked at, and how often what is too old is given up. */
const lookMs = 1_000
const expireMs = 60_000

/** How messages are sent, and which may be. */
interface Sending {
  readonly send: Send
  readonly release: ReleaseEvent
}

/** Sends one message; answers whether the endpoint has taken it. */
const deliver = Effect.fnUntraced(function* (
  { release, send }: Sending,
  { failingSinceMs, failures, url, webhookId }: DueEndpoint,
  secret: string,
  { attempts, event, eventId }: DueDelivery,
) {
  const queue = yield* WebhookQueue
  const nowMs = yield* Clock.currentTimeMillis
  if (event === null) {
    const error = `Event ${eventId} of the store cannot be read, and is not told.`
    yield* queue.failed({ webhookId, eventId, error, nowMs, retryMs: nowMs, dueMs: null })
    return true
  }
  const verdict = yield* release(event)
  if (verdict.decision === "refuse") {
    const { reason } = verdict.refusal
    yield* Effect.logError(`event ${eventId} of ${event.environmentId} is not told: ${reason}`)
    yield* (yield* EgressStates).report({ destination: "webhook", status: "refused", reason })
    yield* queue.failed({ webhookId, eventId, error: reason, nowMs, retryMs: nowMs, dueMs: null })
    return true
  }
  const id = messageIdOf(eventId, event.revision)
  const timestampS = Math.floor(nowMs / 1000)
  const body = JSON.stringify(webhookMessage(verdict.released, nowMs))
  const failure = yield* send({
    url,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "wavepose-webhooks/1",
      "webhook-id": id,
      "webhook-timestamp": String(timestampS),
      "webhook-signature": signatureOf(secret, id, timestampS, body),
    },
  }).pipe(Effect.as(null), Effect.catch((error) => Effect.succeed(error)))
  const endedMs = yield* Clock.currentTimeMillis
  if (failure === null) {
    yield* queue.delivered(webhookId, eventId, event.revision, endedMs)
    return true
  }
  const { gone, message } = failure
  if (gone || (failingSinceMs !== null && endedMs - failingSinceMs >= failingMsMax)) {
    const reason = gone ? message : `It has taken nothing for ${failingMsMax / 3_600_000} hours. At last: ${message}`
    yield* Effect.logWarning(`webhook ${webhookId} is disabled: ${reason}`)
    yield* queue.disable(webhookId, reason, endedMs)
    return false
  }
  const random = yield* Random.next
  yield* queue.failed({
    webhookId,
    eventId,
    error: message,
    nowMs: endedMs,
    retryMs: endedMs + backOffMs(failures + 1, random),
    dueMs: attempts + 1 >= attemptsMax ? null : endedMs + backOffMs(attempts + 1, random),
  })
  return false
})

/** Sends an endpoint what is due, until a message fails. */
const serve = Effect.fnUntraced(function* (sending: Sending, endpoint: DueEndpoint) {
  const { allowance, failingSinceMs, failures, webhookId } = endpoint
  const queue = yield* WebhookQueue
  const nowMs = yield* Clock.currentTimeMillis
  const failing = failingSinceMs !== null
  const due = yield* queue.deliveries(webhookId, nowMs, Math.min(allowance, failing ? 1 : batchMax))
  if (due.length === 0) return
  const opened = yield* openSealed({ keyId: endpoint.secretKeyId, body: endpoint.secret }, secretContext(webhookId))
    .pipe(
      Effect.catch((error) => Effect.succeed(error)),
    )
  if (!(opened instanceof Uint8Array)) {
    const retryMs = nowMs + backOffMs(failures + 1, yield* Random.next)
    return yield* queue.postpone(webhookId, `Its secret cannot be read. ${opened.message}`, nowMs, retryMs)
  }
  const secret = new TextDecoder().decode(opened)
  let goesOn = true
  yield* Effect.forEach(
    due,
    (delivery) =>
      Effect.suspend(() => goesOn ? deliver(sending, endpoint, secret, delivery) : Effect.succeed(false)).pipe(
        Effect.map((taken) => void (goesOn &&= taken)),
      ),
    { concurrency: parallelMax, discard: true },
  )
})

const survive = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
  Effect.catchCause(Effect.asVoid(effect), (cause) => Effect.logWarning(what, cause))

/** Sends everything that is due now, and waits until it is sent or has failed. */
export const deliverDue = Effect.fnUntraced(function* (send: Send) {
  const sending = { send, release: yield* makeReleaseEvent }
  const endpoints = yield* (yield* WebhookQueue).endpoints(yield* Clock.currentTimeMillis)
  yield* Effect.forEach(endpoints, (endpoint) => serve(sending, endpoint), { concurrency: "unbounded", discard: true })
})

const run = Effect.fnUntraced(function* (options: SenderOptions) {
  const sending = { send: makeSend(options), release: yield* makeReleaseEvent }
  const queue = yield* WebhookQueue
  const serving = yield* FiberMap.make<string>()
  let expiredMs = -Infinity
  const look = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (nowMs - expiredMs >= expireMs) {
      yield* queue.expire(nowMs)
      expiredMs = nowMs
    }
    for (const endpoint of yield* queue.endpoints(nowMs)) {
      const served = survive(`webhook ${endpoint.webhookId} could not be served`, serve(sending, endpoint))
      yield* FiberMap.run(serving, endpoint.webhookId, served, { onlyIfMissing: true })
    }
  })
  return yield* survive("webhooks could not be looked at", look).pipe(
    Effect.andThen(Effect.sleep(lookMs)),
    Effect.forever,
  )
}, Effect.scoped)

/** The deliverer of this cluster: exactly one of the nodes that host actors runs it. */
export const layerDeliverer = (options: SenderOptions) =>
  Singleton.make("webhooks", run(options), { shardGroup: sensingGroup() })
