/**
 * Endpoints of the group Webhooks.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import { EventType, eventTypes } from "../domain/event.ts"
import { alertSynonyms, type Webhook } from "../domain/webhook.ts"
import type { WebhookTest } from "../ports/webhook-probe.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, NullableString, Text, Uuid } from "./fields.ts"
import { IsoTime, isoTime, isoTimeOrNull } from "./forms.ts"

const group = "Webhooks"

const AskedType = Schema.Literals([...eventTypes, "inactivity", "intrusion"])

/** The requested types, each once, by the names of events; all types if none were requested. */
export const eventTypesOf = (asked: ReadonlyArray<typeof AskedType.Type> = eventTypes) => [
  ...new Set(
    asked.map((type): EventType =>
      type in alertSynonyms ? alertSynonyms[type as keyof typeof alertSynonyms] : type as EventType
    ),
  ),
]

const fields = {
  webhook_id: Uuid,
  url: Schema.String,
  description: Schema.String,
  event_types: Schema.Array(EventType),
  created_at: IsoTime,
  created_by: Schema.String,
  status: Schema.Literals(["active", "failing", "disabled"]),
  disabled_at: Schema.NullOr(IsoTime),
  disabled_reason: NullableString,
  failing_since: Schema.NullOr(IsoTime),
  last_error: NullableString,
  last_attempt_at: Schema.NullOr(IsoTime),
  last_success_at: Schema.NullOr(IsoTime),
  deliveries: Schema.Struct({ delivered: Count, given_up: Count, waiting: Count }).annotate({
    identifier: "Deliveries",
  }),
}

export const WebhookBody = Schema.Struct(fields).annotate({ identifier: "Webhook" })

const bodyOf = (webhook: Webhook) => ({
  webhook_id: webhook.webhookId,
  url: webhook.url,
  description: webhook.description,
  event_types: webhook.eventTypes,
  created_at: isoTime(webhook.createdAtMs),
  created_by: webhook.createdBy,
  status: webhook.disabledAtMs !== null
    ? "disabled" as const
    : webhook.failingSinceMs !== null
    ? "failing" as const
    : "active" as const,
  disabled_at: isoTimeOrNull(webhook.disabledAtMs),
  disabled_reason: webhook.disabledReason,
  failing_since: isoTimeOrNull(webhook.failingSinceMs),
  last_error: webhook.lastError,
  last_attempt_at: isoTimeOrNull(webhook.lastAttemptMs),
  last_success_at: isoTimeOrNull(webhook.lastSuccessMs),
  deliveries: { delivered: webhook.delivered, given_up: webhook.givenUp, waiting: webhook.waiting },
})

/** A new webhook, whose secret is shown once. */
interface NewWebhook {
  readonly webhook: Webhook
  readonly secret: string
}

const newCodec = jsonCodec(
  Schema.Struct({
    ...fields,
    secret: Schema.String.annotate({ description: "Secret of the signatures. It is shown only in this answer." }),
  }),
  ({ secret, webhook }: NewWebhook) => ({ ...bodyOf(webhook), secret }),
)

/** `whsec_` and the base64 of 24 to 64 bytes, or another text. */
const Secret = Text(16, 128).check(
  Schema.makeFilter(
    (text: string) => !text.startsWith("whsec_") || isStandardSecret(text),
    { expected: "whsec_ and the base64 of 24 to 64 bytes, or another text of 16 to 128 characters" },
  ),
)

const isStandardSecret = (text: string): boolean => {
  const encoded = text.slice("whsec_".length)
  const bytes = Buffer.from(encoded, "base64")
  return bytes.toString("base64") === encoded && bytes.length >= 24 && bytes.length <= 64
}

const Url = Text(1, 2048).check(
  Schema.makeFilter(() => true, { toJsonSchema: () => ({ format: "uri", pattern: "^https?://" }) }),
).annotate({
  description: "URL of the endpoint: https and a public address, unless the service allows others.",
})

const EventTypes = Schema.Array(AskedType).check(Schema.isMinLength(1), Schema.isMaxLength(16)).annotate({
  description: "Types of events or alerts to deliver. Default: all.",
})

export const createWebhook = endpoint({
  method: "POST",
  path: "/webhooks",
  rules: [requestRules.webhookUrl],
  group,
  summary: "Create a webhook: events are delivered signed, at least once, with retries for hours",
  access: "write:configuration",
  category: "configuration",
  body: {
    schema: Schema.Struct({
      url: Url,
      event_types: Schema.optionalKey(EventTypes),
      secret: Schema.optionalKey(
        Secret.annotate({ description: "Secret of the signatures. Default: the service generates one." }),
      ),
      description: Schema.optionalKey(Text(0, 256).annotate({ default: "" })),
    }),
    required: true,
    secret: true,
  },
  status: 201,
  response: { bare: newCodec, envelope: newCodec },
  failures: ["TooManyWebhooks", "StoreUnavailable"],
})

const listCodec = jsonCodec(
  Schema.Struct({ webhooks: Schema.Array(WebhookBody) }),
  (webhooks: ReadonlyArray<Webhook>) => ({ webhooks: webhooks.map(bodyOf) }),
)

export const listWebhooks = endpoint({
  method: "GET",
  path: "/webhooks",
  group,
  summary: "List the webhooks with their status, without their secrets",
  access: "write:configuration",
  category: "configuration",
  status: 200,
  response: { bare: listCodec, envelope: listCodec },
  failures: ["StoreUnavailable"],
})

const oneCodec = jsonCodec(WebhookBody, bodyOf)
const params = Schema.Struct({ webhook_id: Text(1, 128) })

export const getWebhook = endpoint({
  method: "GET",
  path: "/webhooks/{webhook_id}",
  group,
  summary: "Get a webhook with its status",
  access: "write:configuration",
  category: "configuration",
  params,
  status: 200,
  response: { bare: oneCodec, envelope: oneCodec },
  failures: ["ResourceNotFound", "StoreUnavailable"],
})

export const changeWebhook = endpoint({
  method: "PUT",
  path: "/webhooks/{webhook_id}",
  rules: [requestRules.webhookUrl],
  group,
  summary: "Change the URL, event types or description of a webhook, disable it, or enable it again",
  access: "write:configuration",
  category: "configuration",
  params,
  body: {
    schema: Schema.Struct({
      url: Schema.optionalKey(Url),
      event_types: Schema.optionalKey(EventTypes),
      description: Schema.optionalKey(Text(0, 256)),
      enabled: Schema.optionalKey(
        Schema.Boolean.annotate({
          description: "False gives up what waits for it. True also clears its failures: it is tried at once.",
        }),
      ),
    }),
    required: true,
  },
  status: 200,
  response: { bare: oneCodec, envelope: oneCodec },
  failures: ["ResourceNotFound", "StoreUnavailable"],
})

const testCodec = jsonCodec(
  Schema.Struct({
    webhook_id: Uuid,
    delivered: Schema.Boolean,
    sent_at: IsoTime,
    latency_ms: Count,
    failure_reason: NullableString.annotate({
      description: "Why the endpoint did not accept the message; null if it did.",
    }),
  }),
  ({ error, latencyMs, sentAtMs, webhookId }: WebhookTest & { readonly webhookId: string }) => ({
    webhook_id: webhookId,
    delivered: error === null,
    sent_at: isoTime(sentAtMs),
    latency_ms: latencyMs,
    failure_reason: error,
  }),
)

export const testWebhook = endpoint({
  method: "POST",
  path: "/webhooks/{webhook_id}/test",
  group,
  summary: "Send a signed message of type `test` to a webhook, enabled or not, and report how its endpoint answered",
  access: "write:configuration",
  category: "configuration",
  params,
  status: 200,
  response: { bare: testCodec, envelope: testCodec },
  failures: ["ResourceNotFound", "StoreUnavailable"],
})

export const deleteWebhook = endpoint({
  method: "DELETE",
  path: "/webhooks/{webhook_id}",
  group,
  summary: "Delete a webhook",
  access: "write:configuration",
  category: "configuration",
  params,
  status: 204,
  response: null,
  failures: ["ResourceNotFound", "StoreUnavailable"],
})
