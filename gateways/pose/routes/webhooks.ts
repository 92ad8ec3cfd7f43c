/**
 * Handlers of the group Webhooks.
 */
import { Effect } from "effect"
import type { WebhookTargets } from "../../../protocols/domain/webhook.ts"
import { InvalidRequest, ResourceNotFound } from "../../../protocols/pose-api/errors.ts"
import { urlRefusal } from "../../../protocols/pose-api/webhook-url.ts"
import {
  createWebhook,
  deleteWebhook,
  eventTypesOf,
  getWebhook,
  listWebhooks,
} from "../../../protocols/pose-api/webhooks.ts"
import { Webhooks } from "../../../protocols/ports/webhooks.ts"
import { changedBy } from "../../calls/changed-by.ts"
import { route } from "../server/route.ts"

const unknown = new ResourceNotFound({
  resource: "webhook",
  message: "There is no webhook with this id. GET /api/v1/webhooks lists them.",
})

/** @param targets the allowed networks of webhook endpoints */
export const makeWebhookRoutes = (targets: WebhookTargets) => [
  route(createWebhook, ({ body, caller }) =>
    Effect.gen(function* () {
      const refusal = urlRefusal(body.url, targets)
      if (refusal !== null) return yield* InvalidRequest.of("url", refusal)
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

  route(deleteWebhook, ({ params }) =>
    Effect.gen(function* () {
      if (!(yield* (yield* Webhooks).remove(params.webhook_id))) return yield* unknown
    })),
]
