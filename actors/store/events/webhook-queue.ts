/**
 * The queue of webhook deliveries: one row per endpoint and event.
 *
 * The statement that stores an event (`events.ts`) inserts its rows, and a delivery deletes its row, so a crashed node loses none. A
 * position in the sequence of events would not suffice, because events are revised in place and commit out of order.
 *
 * Invariants: only the newest revision of an event is queued. A revision that arrives during a delivery is queued after it, and has all of
 * its attempts, whatever becomes of the delivery. Disabling an endpoint deletes its rows.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { hourMs } from "../../../core/analytics/calendar.ts"
import type { ActivityEvent } from "../../../protocols/domain/event.ts"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { deliveriesPerHourMax, deliveryAgeMsMax } from "../../../protocols/domain/webhook.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { openEvent } from "./event-encryption.ts"
import { FrameBodies } from "../encryption/body-encryption.ts"

/** The endpoint's address and the encrypted secret for signatures. */
interface Endpoint {
  readonly url: string
  readonly secretKeyId: number
  readonly secret: Uint8Array
}

/** An endpoint with due deliveries. */
export interface DueEndpoint extends Endpoint {
  readonly webhookId: string
  /** Consecutive failures. */
  readonly failures: number
  readonly failingSinceMs: number | null
  /** Deliveries that the limit of this hour still allows. */
  readonly allowance: number
}

export interface DueDelivery {
  readonly eventId: string
  /** The revision that was queued last. */
  readonly revision: number
  /** Failed attempts of this revision. */
  readonly attempts: number
  /** Null if the event cannot be read. */
  readonly event: ActivityEvent | null
}

/** The failure of an attempt and its consequence. */
interface FailedTry {
  readonly webhookId: string
  readonly eventId: string
  /** The queued revision that was tried. A newer one stays as it is. */
  readonly revision: number
  readonly error: string
  readonly nowMs: number
  /** When the endpoint is tried again, with everything that is due then. */
  readonly retryMs: number
  /** When this delivery is tried again; null: never. */
  readonly dueMs: number | null
}

export class WebhookQueue extends Context.Service<WebhookQueue, {
  readonly endpoints: (nowMs: number) => Effect.Effect<ReadonlyArray<DueEndpoint>, StoreUnavailable>
  /** An endpoint, due or not; null if the id is unknown. */
  readonly endpoint: (webhookId: string) => Effect.Effect<Endpoint | null, StoreUnavailable>
  /** The due deliveries of an endpoint, oldest first. */
  readonly deliveries: (
    webhookId: string,
    nowMs: number,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<DueDelivery>, StoreUnavailable>
  /** Records that the endpoint has accepted this revision of the event. */
  readonly delivered: (
    webhookId: string,
    eventId: string,
    revision: number,
    nowMs: number,
  ) => Effect.Effect<void, StoreUnavailable>
  readonly failed: (failed: FailedTry) => Effect.Effect<void, StoreUnavailable>
  /** Records that nothing can be sent to the endpoint. Its deliveries wait. */
  readonly postpone: (
    webhookId: string,
    error: string,
    nowMs: number,
    retryMs: number,
  ) => Effect.Effect<void, StoreUnavailable>
  /** Disables the endpoint and drops its deliveries. */
  readonly disable: (webhookId: string, reason: string, nowMs: number) => Effect.Effect<void, StoreUnavailable>
  /** Drops deliveries that are too old or whose events were deleted. */
  readonly expire: (nowMs: number) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/actors/WebhookQueue") {
  static readonly layer: Layer.Layer<WebhookQueue, never, SqlClient.SqlClient | FrameBodies> = Layer.effect(
    WebhookQueue,
    Effect.suspend(() => make),
  )
}

const momentOf = (sql: SqlClient.SqlClient, epochMs: number) => sql`to_timestamp(${epochMs / 1000}::float8)`

/** Whether the counted hour is over, or began on a clock that was ahead. */
const hourIsOver = (sql: SqlClient.SqlClient, nowMs: number) =>
  sql`(hour_began_at <= ${momentOf(sql, nowMs - hourMs)} OR hour_began_at > ${momentOf(sql, nowMs)})`

/** The assignments that count an attempt in its hour. */
const inHour = (sql: SqlClient.SqlClient, nowMs: number) =>
  sql`
    hour_count = CASE WHEN ${hourIsOver(sql, nowMs)} THEN 1 ELSE hour_count + 1 END,
    hour_began_at = CASE WHEN ${hourIsOver(sql, nowMs)} THEN ${momentOf(sql, nowMs)} ELSE hour_began_at END`

const inTransaction = <A, R>(sql: SqlClient.SqlClient, statements: Effect.Effect<A, SqlError.SqlError, R>) =>
  orStoreUnavailable(sql.withTransaction(statements))

/** Queries of due deliveries. */
const makeReads = (sql: SqlClient.SqlClient, bodies: FrameBodies["Service"]) => {
  const endpoints: WebhookQueue["Service"]["endpoints"] = (nowMs) =>
    orStoreUnavailable(sql<DueEndpoint>`
      SELECT webhook_id AS "webhookId", url, secret_key_id AS "secretKeyId", secret, failures,
        (extract(epoch FROM failing_since) * 1000)::float8 AS "failingSinceMs",
        ${deliveriesPerHourMax}::integer - CASE WHEN ${hourIsOver(sql, nowMs)} THEN 0 ELSE hour_count END
          AS allowance
      FROM webhooks
      WHERE disabled_at IS NULL AND (retry_at IS NULL OR retry_at <= ${momentOf(sql, nowMs)})
        AND EXISTS (
          SELECT FROM webhook_deliveries due WHERE due.webhook_id = webhooks.webhook_id AND due_at <= ${
      momentOf(sql, nowMs)
    })`)

  const endpoint: WebhookQueue["Service"]["endpoint"] = (webhookId) =>
    Effect.map(
      orStoreUnavailable(sql<Endpoint>`
        SELECT url, secret_key_id AS "secretKeyId", secret FROM webhooks WHERE webhook_id::text = ${webhookId}`),
      ([found]) => found ?? null,
    )

  const deliveries: WebhookQueue["Service"]["deliveries"] = Effect.fnUntraced(function* (webhookId, nowMs, limit) {
    const rows = yield* orStoreUnavailable(sql<Omit<DueDelivery, "event"> & { readonly body: unknown }>`
      SELECT event_id AS "eventId", webhook_deliveries.revision, attempts, body
      FROM webhook_deliveries JOIN events USING (event_id)
      WHERE webhook_id = ${webhookId} AND due_at <= ${momentOf(sql, nowMs)}
      ORDER BY due_at, event_id LIMIT ${limit}`)
    return yield* Effect.forEach(rows, ({ body, ...row }) =>
      Effect.map(
        Effect.orElseSucceed(openEvent(bodies, body), () => null),
        (event) => ({ ...row, event }),
      ))
  })

  return { endpoint, endpoints, deliveries }
}

/** Effects of an attempt. */
const makeTries = (sql: SqlClient.SqlClient) => {
  const delivered: WebhookQueue["Service"]["delivered"] = (webhookId, eventId, revision, nowMs) =>
    inTransaction(
      sql,
      Effect.gen(function* () {
        yield* sql`
        DELETE FROM webhook_deliveries
        WHERE webhook_id = ${webhookId} AND event_id = ${eventId} AND revision <= ${revision}`
        yield* sql`
        UPDATE webhooks SET delivered = delivered + 1, failures = 0, failing_since = NULL, retry_at = NULL, last_error = NULL,
          last_attempt_at = ${momentOf(sql, nowMs)}, last_success_at = ${momentOf(sql, nowMs)}, ${inHour(sql, nowMs)}
        WHERE webhook_id = ${webhookId}`
      }),
    )

  const failed: WebhookQueue["Service"]["failed"] = ({ dueMs, error, eventId, nowMs, retryMs, revision, webhookId }) =>
    inTransaction(
      sql,
      Effect.gen(function* () {
        const tried = sql`webhook_id = ${webhookId} AND event_id = ${eventId} AND revision <= ${revision}`
        yield* dueMs === null
          ? sql`DELETE FROM webhook_deliveries WHERE ${tried}`
          : sql`UPDATE webhook_deliveries SET attempts = attempts + 1, due_at = ${momentOf(sql, dueMs)} WHERE ${tried}`
        yield* sql`
        UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, ${momentOf(sql, nowMs)}),
          retry_at = ${momentOf(sql, retryMs)}, last_error = ${error}, last_attempt_at = ${momentOf(sql, nowMs)},
          given_up = given_up + ${dueMs === null ? 1 : 0}, ${inHour(sql, nowMs)}
        WHERE webhook_id = ${webhookId}`
      }),
    )

  return { delivered, failed }
}

/** Postponing and dropping. */
const makeEnds = (sql: SqlClient.SqlClient) => {
  const postpone: WebhookQueue["Service"]["postpone"] = (webhookId, error, nowMs, retryMs) =>
    Effect.asVoid(orStoreUnavailable(sql`
      UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, ${momentOf(sql, nowMs)}),
        retry_at = ${momentOf(sql, retryMs)}, last_error = ${error}
      WHERE webhook_id = ${webhookId}`))

  const disable: WebhookQueue["Service"]["disable"] = (webhookId, reason, nowMs) =>
    inTransaction(
      sql,
      Effect.gen(function* () {
        // The endpoint is locked first, so that no other transaction queues an event for it afterwards.
        yield* sql`
        UPDATE webhooks SET disabled_at = ${
          momentOf(sql, nowMs)
        }, disabled_reason = ${reason} WHERE webhook_id = ${webhookId}`
        const gone = yield* sql`DELETE FROM webhook_deliveries WHERE webhook_id = ${webhookId} RETURNING 1`
        yield* sql`UPDATE webhooks SET given_up = given_up + ${gone.length} WHERE webhook_id = ${webhookId}`
      }),
    )

  const expire: WebhookQueue["Service"]["expire"] = (nowMs) =>
    Effect.asVoid(orStoreUnavailable(sql`
      WITH gone AS (
        DELETE FROM webhook_deliveries waiting
        WHERE queued_at <= ${momentOf(sql, nowMs - deliveryAgeMsMax)}
          OR NOT EXISTS (SELECT FROM events WHERE events.event_id = waiting.event_id)
        RETURNING webhook_id)
      UPDATE webhooks SET given_up = given_up + counted.count
      FROM (SELECT webhook_id, count(*) AS count FROM gone GROUP BY webhook_id) counted
      WHERE webhooks.webhook_id = counted.webhook_id`))

  return { postpone, disable, expire }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return WebhookQueue.of({ ...makeReads(sql, yield* FrameBodies), ...makeTries(sql), ...makeEnds(sql) })
})
