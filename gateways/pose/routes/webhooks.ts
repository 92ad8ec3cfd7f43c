/**
 * Handlers of the group Webhooks.
 */
import { Effect } from "effect"
import type { WebhookTargets } from "../../../protocols/domain/webhook.ts"
import { InvalidRequest, ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import { urlRefusal } from "../../../protocols/pose-api/webhook-url.ts"
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  eventTypesOf,
  getWebhook,
  listWebhooks,
  testWebhook,
} from "../../../protocols/pose-api/webhooks.ts"
import { WebhookProbe } from "../../../protocols/ports/webhook-probe.ts"
import { Webhooks } from "../../../protocols/ports/webhooks.ts"
import { changedBy } from "../../calls/changed-by.ts"
import { route } from "../server/route.ts"

const unknown = new ResourceNotFound({
  resource: "webhook",
  message: "There is no webhook with this id. GET /api/v1/webhooks lists them.",
})

/** Rejects the URL of an endpoint that may not be one. */
const checkUrl = (url: string | undefined, targets: WebhookTargets): Effect.Effect<void, InvalidRequest> => {
  const refusal = url === undefined ? null : urlRefusal(url, targets)
  return refusal === null ? Effect.void : Effect.fail(InvalidRequest.of("url", refusal))
}

/** @param targets the allowed networks of webhook endpoints */
export const makeWebhookRoutes = (targets: WebhookTargets) => [
  route(createWebhook, ({ body, caller }) =>
    Effect.gen(function* () {
      yield* checkUrl(body.url, targets)
      return yield* (yield* Webhooks).create({
        url: body.url,
        description: body.description ?? "",
        eventTypes: eventTypesOf(body.event_types),
        secret: body.secret ?? null,
        createdBy: changedBy(caller).name,
      })
    })),

  route(listWebhooks, () => Effect.flatMap(Webhooks, ({ all }) => all)),

  route(getWebhook, ({ params }) =>
    Effect.gen(function* () {
      return (yield* (yield* Webhooks).one(params.webhook_id)) ?? (yield* unknown)
    })),

  route(changeWebhook, ({ body, caller, params }) =>
    Effect.gen(function* () {
      const { event_types, ...changes } = body
      yield* checkUrl(body.url, targets)
      const types = event_types === undefined ? {} : { eventTypes: eventTypesOf(event_types) }
      const { change } = yield* Webhooks
      return (yield* change(params.webhook_id, { ...changes, ...types }, changedBy(caller).name)) ?? (yield* unknown)
    })),

  route(testWebhook, ({ params: { webhook_id: webhookId } }) =>
    Effect.gen(function* () {
      const result = yield* (yield* WebhookProbe).test(webhookId)
      return result === null ? yield* unknown : { ...result, webhookId }
    })),

  route(deleteWebhook, ({ params }) =>
    Effect.gen(function* () {
      if (!(yield* (yield* Webhooks).remove(params.webhook_id))) return yield* unknown
    })),
]
