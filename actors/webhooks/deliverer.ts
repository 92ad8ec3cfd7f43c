/**
 * The deliverer of webhooks: one in the cluster. It sends the queued messages and records their outcomes.
 *
 * Boundary: the queue is `store/events/webhook-queue.ts`, sending one message `sender.ts`, and the privacy gate of events `release.ts`.
 *
 * Invariants:
 * 1. A delivery leaves the queue only after its endpoint accepted it: the newest revision of each event is delivered at least once,
 *    whichever node fails. A repeated attempt has the same `webhook-id`.
 * 2. An endpoint that hangs or fails does not delay others; it gets one message at a time until one is accepted.
 * 3. An event that the privacy gate rejects is not sent. Its delivery is abandoned, and the webhook and the node's health report the reason.
 * 4. At most `batchMax` messages of an endpoint are in memory, and at most `parallelMax` are in flight.
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
import { makeSend, type Send, type SenderOptions, type SendFailed } from "./sender.ts"
import { signedHeaders } from "./signature.ts"

const batchMax = 32
const parallelMax = 4
/** Interval between reads of the queue, and between removals of expired deliveries. */
const pollMs = 1_000
const expireMs = 60_000

/** How messages are sent, and which events may be sent. */
interface Sending {
  readonly send: Send
  readonly release: ReleaseEvent
}

/** Abandons a delivery that cannot or must not be sent. */
const abandon = Effect.fnUntraced(function* (webhookId: string, { eventId, revision }: DueDelivery, error: string) {
  const nowMs = yield* Clock.currentTimeMillis
  yield* (yield* WebhookQueue).failed({ webhookId, eventId, revision, error, nowMs, retryMs: nowMs, dueMs: null })
})

/** The verdict of the privacy gate on an event that may be sent; null for any other, whose delivery is abandoned. */
const permit = Effect.fnUntraced(function* (
  release: ReleaseEvent,
  webhookId: string,
  delivery: DueDelivery,
) {
  const { event, eventId } = delivery
  if (event === null) {
    yield* abandon(webhookId, delivery, `The stored event ${eventId} cannot be decoded, so it was not sent.`)
    return null
  }
  const verdict = yield* release(event)
  if (verdict.decision !== "refuse") return verdict
  const { reason } = verdict.refusal
  yield* Effect.logError("event rejected by the privacy gate and not sent", {
    event: eventId,
    environment: event.environmentId,
    reason,
  })
  yield* (yield* EgressStates).report({ destination: "webhook", status: "refused", reason })
  yield* abandon(webhookId, delivery, reason)
  return null
})

/** Records a failed attempt: disables the webhook, or schedules the next attempt. */
const recordFailure = Effect.fnUntraced(function* (
  { failingSinceMs, failures, webhookId }: DueEndpoint,
  { attempts, eventId, revision }: DueDelivery,
  { gone, message }: SendFailed,
) {
  const queue = yield* WebhookQueue
  const nowMs = yield* Clock.currentTimeMillis
  if (gone || (failingSinceMs !== null && nowMs - failingSinceMs >= failingMsMax)) {
    const reason = gone
      ? message
      : `The endpoint accepted nothing for ${failingMsMax / 3_600_000} hours. Last error: ${message}`
    yield* Effect.logWarning("webhook disabled", { webhook: webhookId, reason })
    return yield* queue.disable(webhookId, reason, nowMs)
  }
  const random = yield* Random.next
  yield* queue.failed({
    webhookId,
    eventId,
    revision,
    error: message,
    nowMs,
    retryMs: nowMs + backOffMs(failures + 1, random),
    dueMs: attempts + 1 >= attemptsMax ? null : nowMs + backOffMs(attempts + 1, random),
  })
})

/** Sends one message. Returns whether the next one may be sent: false when the endpoint did not accept this one. */
const deliver = Effect.fnUntraced(function* (
  { release, send }: Sending,
  endpoint: DueEndpoint,
  secret: string,
  delivery: DueDelivery,
) {
  const { url, webhookId } = endpoint
  const { eventId } = delivery
  const verdict = yield* permit(release, webhookId, delivery)
  if (verdict === null) return true
  const { revision } = verdict.released.record
  const nowMs = yield* Clock.currentTimeMillis
  const id = messageIdOf(eventId, revision)
  const timestampS = Math.floor(nowMs / 1000)
  const body = JSON.stringify(webhookMessage(verdict.released, nowMs))
  const failure = yield* send({
    url,
    body,
    headers: signedHeaders(secret, id, timestampS, body),
  }).pipe(Effect.as(null), Effect.catch((error) => Effect.succeed(error)))
  if (failure !== null) {
    yield* recordFailure(endpoint, delivery, failure)
    return false
  }
  yield* (yield* WebhookQueue).delivered(webhookId, eventId, revision, yield* Clock.currentTimeMillis)
  return true
})

/** The secret of an endpoint; null when it cannot be decrypted, which postpones the endpoint. */
const openSecret = Effect.fnUntraced(
  function* ({ failures, secret, secretKeyId, webhookId }: DueEndpoint, nowMs: number) {
    const opened = yield* openSealed({ keyId: secretKeyId, body: secret }, secretContext(webhookId)).pipe(
      Effect.catch((error) => Effect.succeed(error)),
    )
    if (opened instanceof Uint8Array) return new TextDecoder().decode(opened)
    const retryMs = nowMs + backOffMs(failures + 1, yield* Random.next)
    const queue = yield* WebhookQueue
    yield* queue.postpone(webhookId, `The secret of the webhook cannot be decrypted. ${opened.message}`, nowMs, retryMs)
    return null
  },
)

/** Sends the due messages of an endpoint, until one fails. */
const serve = Effect.fnUntraced(function* (sending: Sending, endpoint: DueEndpoint) {
  const { allowance, failingSinceMs, webhookId } = endpoint
  const queue = yield* WebhookQueue
  const nowMs = yield* Clock.currentTimeMillis
  const due = yield* queue.deliveries(webhookId, nowMs, Math.min(allowance, failingSinceMs === null ? batchMax : 1))
  if (due.length === 0) return
  const secret = yield* openSecret(endpoint, nowMs)
  if (secret === null) return
  let accepted = true
  const deliverNext = (delivery: DueDelivery) =>
    Effect.suspend(() => accepted ? deliver(sending, endpoint, secret, delivery) : Effect.succeed(false)).pipe(
      Effect.map((taken) => void (accepted &&= taken)),
    )
  yield* Effect.forEach(due, deliverNext, { concurrency: parallelMax, discard: true })
})

/** Logs every failure of an effect. */
const logFailure = <A, E, R>(message: string, fields: Record<string, string>, effect: Effect.Effect<A, E, R>) =>
  Effect.catchCause(Effect.asVoid(effect), (cause) => Effect.logWarning(message, fields, cause))

/** Sends all due messages, and waits until each is sent or has failed. */
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
  const poll = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (nowMs - expiredMs >= expireMs) {
      yield* queue.expire(nowMs)
      expiredMs = nowMs
    }
    for (const endpoint of yield* queue.endpoints(nowMs)) {
      const served = logFailure(
        "webhook could not be served",
        { webhook: endpoint.webhookId },
        serve(sending, endpoint),
      )
      yield* FiberMap.run(serving, endpoint.webhookId, served, { onlyIfMissing: true })
    }
  })
  return yield* logFailure("webhook queue could not be read", {}, poll).pipe(
    Effect.andThen(Effect.sleep(pollMs)),
    Effect.forever,
  )
}, Effect.scoped)

/** The deliverer of the cluster: exactly one of the nodes with sensing actors runs it. */
export const layerDeliverer = (options: SenderOptions) =>
  Singleton.make("webhooks", run(options), { shardGroup: sensingGroup("webhooks") })
