/**
 * The signature of what a webhook is sent, by the Standard Webhooks convention (standardwebhooks.com): HMAC-SHA256 of
 * `id.timestamp.body` under the endpoint's secret.
 *
 * Who receives it computes the same over the headers `webhook-id` and `webhook-timestamp` and the bytes of the body, compares in
 * constant time with what follows `v1,` in `webhook-signature`, and refuses times that are minutes off.
 */
import { createHmac } from "node:crypto"

const standardPrefix = "whsec_"

/** The key of a secret: the bytes behind `whsec_`, or those of the text. */
const keyOf = (secret: string): Uint8Array =>
  secret.startsWith(standardPrefix) ? Buffer.from(secret.slice(standardPrefix.length), "base64") : Buffer.from(secret)

/** @param timestampS seconds since the Unix epoch, of this try */
export const signatureOf = (secret: string, id: string, timestampS: number, body: string): string =>
  `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestampS}.${body}`).digest("base64")}`
