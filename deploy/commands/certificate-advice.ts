/**
 * What to do when the certificate of a service is not accepted, from the reason that the runtime gives. Pure.
 */

/** The words of Deno (rustls) and of Node (OpenSSL), and what to do. */
const advices: ReadonlyArray<readonly [reason: RegExp, advice: string]> = [
  [
    /UnknownIssuer|self[- ]signed|unable to (verify the first|get (local )?issuer) certificate/i,
    "Set NODE_EXTRA_CA_CERTS to a PEM file of the authority that signed it.",
  ],
  [
    /NotValidForName|not valid for name|altnames/i,
    "Name the service with --url by a host name that the certificate has.",
  ],
  [/Expired|NotValidYet|not yet valid/i, "Renew it at the service, or correct the clock of this machine."],
  [/./, "Correct it at the service."],
]

/** Null if the reason is not about a certificate. */
export const certificateAdvice = (reason: string): string | null =>
  /certificate/i.test(reason) ? advices.find(([words]) => words.test(reason))![1] : null
