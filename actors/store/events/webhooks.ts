/**
 * Webhooks in the database: implements the port `Webhooks`. `webhook-queue.ts` has their deliveries.
 *
 * Invariant: a secret is stored encrypted and leaves this file encrypted.
 */
import { Clock, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TooManyWebhooks, type Webhook, webhooksMax } from "../../../protocols/domain/webhook.ts"
import { type WebhookChanges, Webhooks } from "../../../protocols/ports/webhooks.ts"
import { orStoreUnavailable } from "../database/database.ts"
import type { EncryptionKeys } from "../encryption/encryption-keys.ts"
import { sealRowsAnew } from "../encryption/rotation.ts"
import { sealAll } from "../encryption/sealing.ts"

/** Length of a generated secret, bytes. */
const secretBytes = 32

/** The encryption context of a webhook's secret. */
export const secretContext = (webhookId: string): string => `webhook ${webhookId}`

const epochMs = (column: string, name: string): string => `(extract(epoch FROM ${column}) * 1000)::float8 AS "${name}"`

const columns = [
  `webhook_id AS "webhookId"`,
  "url",
  "description",
  `event_types AS "eventTypes"`,
  `created_by AS "createdBy"`,
  `disabled_reason AS "disabledReason"`,
  `last_error AS "lastError"`,
  "delivered::float8",
  `given_up::float8 AS "givenUp"`,
  epochMs("created_at", "createdAtMs"),
  epochMs("disabled_at", "disabledAtMs"),
  epochMs("failing_since", "failingSinceMs"),
  epochMs("last_attempt_at", "lastAttemptMs"),
  epochMs("last_success_at", "lastSuccessMs"),
  `(SELECT count(*)::int4 FROM webhook_deliveries waiting WHERE waiting.webhook_id = webhooks.webhook_id) AS waiting`,
].join(", ")

const changeWebhook = Effect.fnUntraced(function* (webhookId: string, changes: WebhookChanges, by: string) {
  const sql = yield* SqlClient.SqlClient
  const { description, enabled, eventTypes, url } = changes
  const nowS = (yield* Clock.currentTimeMillis) / 1000
  const of = sql`WHERE webhook_id::text = ${webhookId}`
  // The endpoint is locked first, so that no other transaction queues an event for a disabled one.
  if (enabled === false) {
    yield* sql`UPDATE webhooks SET disabled_at = coalesce(disabled_at, to_timestamp(${nowS}::float8)),
      disabled_reason = coalesce(disabled_reason, ${`Disabled by ${by}.`}) ${of}`
    const gone = yield* sql`DELETE FROM webhook_deliveries ${of} RETURNING 1`
    yield* sql`UPDATE webhooks SET given_up = given_up + ${gone.length} ${of}`
  }
  if (enabled === true) yield* sql`UPDATE webhooks SET disabled_at = NULL, disabled_reason = NULL ${of}`
  if (enabled === true || url !== undefined) {
    yield* sql`UPDATE webhooks SET failures = 0, failing_since = NULL, retry_at = NULL, last_error = NULL ${of}`
    const now = sql`to_timestamp(${nowS}::float8)`
    yield* sql`UPDATE webhook_deliveries SET due_at = ${now} ${of} AND due_at > ${now}`
  }
  if (url !== undefined) yield* sql`UPDATE webhooks SET url = ${url} ${of}`
  if (description !== undefined) yield* sql`UPDATE webhooks SET description = ${description} ${of}`
  if (eventTypes !== undefined) yield* sql`UPDATE webhooks SET event_types = ${[...eventTypes]}::text[] ${of}`
})

export const layerWebhooks: Layer.Layer<
  Webhooks,
  never,
  EncryptionKeys | SecureRandom.SecureRandom | SqlClient.SqlClient
> = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const context = yield* Effect.context<EncryptionKeys | SecureRandom.SecureRandom>()
    const shown = sql.literal(columns)
    yield* sealRowsAnew({
      table: "webhooks",
      id: "webhook_id",
      keyId: "secret_key_id",
      body: "secret",
      context: { of: "webhook_id", text: secretContext },
    })
    const one = (webhookId: string) =>
      Effect.map(
        orStoreUnavailable(sql<Webhook>`SELECT ${shown} FROM webhooks WHERE webhook_id::text = ${webhookId}`),
        ([webhook]) => webhook ?? null,
      )
    return {
      create: Effect.fnUntraced(function* ({ createdBy, description, eventTypes, secret: given, url }) {
        const nowS = (yield* Clock.currentTimeMillis) / 1000
        const webhookId = yield* random.uuidV7()
        const secret = given ?? `whsec_${Buffer.from(yield* random.randomBytes(secretBytes)).toString("base64")}`
        const [sealed] = yield* sealAll([new TextEncoder().encode(secret)], secretContext(webhookId)).pipe(
          Effect.provide(context),
        )
        const rows = yield* orStoreUnavailable(sql`
          INSERT INTO webhooks (webhook_id, url, description, event_types, secret_key_id, secret, created_at, created_by,
            hour_began_at)
          SELECT ${webhookId}, ${url}, ${description}, ${[...eventTypes]}::text[], ${sealed!.keyId}, ${sealed!.body},
            to_timestamp(${nowS}::float8), ${createdBy}, to_timestamp(${nowS}::float8)
          WHERE (SELECT count(*) FROM webhooks) < ${webhooksMax} RETURNING 1`)
        if (rows.length === 0) return yield* TooManyWebhooks.now
        return { webhook: (yield* one(webhookId))!, secret }
      }),
      all: orStoreUnavailable(sql<Webhook>`SELECT ${shown} FROM webhooks ORDER BY created_at, webhook_id`),
      one,
      change: (webhookId, changes, by) =>
        orStoreUnavailable(sql.withTransaction(Effect.andThen(changeWebhook(webhookId, changes, by), one(webhookId))))
          .pipe(Effect.provideService(SqlClient.SqlClient, sql)),
      remove: (webhookId) =>
        orStoreUnavailable(sql`DELETE FROM webhooks WHERE webhook_id::text = ${webhookId} RETURNING 1`).pipe(
          Effect.map((rows) => rows.length > 0),
        ),
    }
  }),
)
