/**
 * Test messages to webhooks: signed and sent as events are, outside of the queue. They hold nothing that was sensed.
 */
import { Clock, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { WebhookProbe, type WebhookTest } from "../../protocols/ports/webhook-probe.ts"
import { webhookTestMessage } from "../../protocols/pose-api/webhook-message.ts"
import type { EncryptionKeys } from "../store/encryption/encryption-keys.ts"
import { openSealed } from "../store/encryption/sealing.ts"
import { WebhookQueue } from "../store/events/webhook-queue.ts"
import { secretContext } from "../store/events/webhooks.ts"
import { makeSend, type SenderOptions } from "./sender.ts"
import { signedHeaders } from "./signature.ts"

export const layerWebhookProbe = (
  options: SenderOptions,
): Layer.Layer<WebhookProbe, never, WebhookQueue | EncryptionKeys | SecureRandom.SecureRandom> =>
  Layer.effect(
    WebhookProbe,
    Effect.gen(function* () {
      const queue = yield* WebhookQueue
      const random = yield* SecureRandom.SecureRandom
      const context = yield* Effect.context<EncryptionKeys>()
      const send = makeSend(options)

      const test = Effect.fnUntraced(function* (webhookId: string) {
        const endpoint = yield* queue.endpoint(webhookId)
        if (endpoint === null) return null
        const sentAtMs = yield* Clock.currentTimeMillis
        const id = `test_${yield* random.uuidV7()}`
        const body = JSON.stringify(webhookTestMessage(webhookId, sentAtMs))
        const error = yield* openSealed(
          { keyId: endpoint.secretKeyId, body: endpoint.secret },
          secretContext(webhookId),
        )
          .pipe(
            Effect.mapError(({ message }) => ({
              message: `The secret of the webhook cannot be decrypted. ${message}`,
            })),
            Effect.flatMap((secret) => {
              const headers = signedHeaders(new TextDecoder().decode(secret), id, Math.floor(sentAtMs / 1000), body)
              return send({ url: endpoint.url, body, headers })
            }),
            Effect.as(null),
            Effect.catch(({ message }) => Effect.succeed(message)),
            Effect.provide(context),
          )
        const result: WebhookTest = { sentAtMs, latencyMs: (yield* Clock.currentTimeMillis) - sentAtMs, error }
        return result
      })

      return { test }
    }),
  )
