/**
 * The signature of a webhook message by the Standard Webhooks convention (standardwebhooks.com): HMAC-SHA256 of
 * `id.timestamp.body` under the endpoint's secret.
 *
 * A receiver computes the same over the headers `webhook-id` and `webhook-timestamp` and the bytes of the body, compares it in constant
 * time with the text after `v1,` in `webhook-signature`, and rejects timestamps that differ from its clock by minutes.
 */
import { createHmac } from "node:crypto"

const standardPrefix = "whsec_"

/** The key of a secret: the bytes encoded after `whsec_`, else those of the text. */
const keyOf = (secret: string): Uint8Array =>
  secret.startsWith(standardPrefix) ? Buffer.from(secret.slice(standardPrefix.length), "base64") : Buffer.from(secret)

/** @param timestampS time of this attempt in seconds since the Unix epoch */
export const signatureOf = (secret: string, id: string, timestampS: number, body: string): string =>
  `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestampS}.${body}`).digest("base64")}`

/** The headers of a message that is signed so. */
export const signedHeaders = (secret: string, id: string, timestampS: number, body: string) => ({
  "content-type": "application/json",
  "user-agent": "wavepose-webhooks/1",
  "webhook-id": id,
  "webhook-timestamp": String(timestampS),
  "webhook-signature": signatureOf(secret, id, timestampS, body),
})
