/**
 * Sends one message to one endpoint.
 *
 * Invariants: connections go to the checked address only, whatever the name resolves to later; redirects are not followed; only the
 * status of the answer is used, and its body is not read; an attempt ends within `sendMsMax`.
 */
import { Data, Effect } from "effect"
import { lookup as resolveName } from "node:dns/promises"
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import type { WebhookTargets } from "../../protocols/domain/webhook.ts"
import { addressRefusal, hostOf, urlRefusal } from "../../protocols/pose-api/webhook-url.ts"

const sendMsMax = 10_000

/** A failed attempt; `gone`: the endpoint permanently rejects messages. */
export class SendFailed extends Data.TaggedError("SendFailed")<{ readonly message: string; readonly gone: boolean }> {}

const failed = (message: string, gone = false) => new SendFailed({ message, gone })

export interface SenderOptions {
  readonly targets: WebhookTargets
  /** Resolves a name to its addresses; default: the resolver of the machine. */
  readonly resolve?: (host: string) => Promise<ReadonlyArray<string>>
  /** Trusted certificates in PEM, instead of the defaults. */
  readonly trusted?: string
}

interface Message {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Send = (message: Message) => Effect.Effect<void, SendFailed>

const resolveByMachine = async (host: string): Promise<ReadonlyArray<string>> =>
  (await resolveName(host, { all: true })).map(({ address }) => address)

/** The first permitted address of a host. */
const addressOf = (
  host: string,
  { resolve = resolveByMachine, targets }: SenderOptions,
): Effect.Effect<string, SendFailed> =>
  Effect.gen(function* () {
    const addresses = isIP(host) !== 0 ? [host] : yield* Effect.tryPromise({
      try: () => resolve(host),
      catch: (cause) => failed(`The name ${host} could not be resolved: ${reasonOf(cause)}`),
    })
    const refusals = addresses.map((address) => addressRefusal(address, targets))
    const allowed = addresses.find((_, i) => refusals[i] === null)
    return allowed ?? (yield* failed(`Calls to ${host} are rejected: ${refusals[0] ?? "it has no address"}.`))
  })

const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** A lookup that returns the checked address; the name is used only for TLS and the header `host`. */
const pinned = (address: string): LookupFunction => (_host, options, answer) =>
  options.all === true ? answer(null, [{ address, family: isIP(address) }]) : answer(null, address, isIP(address))

/** Posts a message; returns the status of the answer. */
const post = ({ body, headers, url: text }: Message, address: string, trusted: string | undefined) =>
  Effect.callback<number, SendFailed>((resume) => {
    const url = new URL(text)
    const host = hostOf(url)
    const secure = url.protocol === "https:"
    const request = (secure ? httpsRequest : httpRequest)({
      method: "POST",
      hostname: host,
      port: url.port === "" ? undefined : Number(url.port),
      path: url.pathname + url.search,
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      lookup: pinned(address),
      agent: false,
      ...(secure && isIP(host) === 0 ? { servername: host } : {}),
      ...(secure && trusted !== undefined ? { ca: trusted } : {}),
    }, (response) => {
      resume(Effect.succeed(response.statusCode ?? 0))
      response.on("error", () => {})
      response.destroy()
    })
    request.on("error", (error) => resume(Effect.fail(failed(`The endpoint could not be reached: ${reasonOf(error)}`))))
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

/** Sends a message; succeeds when the endpoint answers with a status of 200 to 299. */
export const makeSend = (options: SenderOptions): Send =>
  Effect.fnUntraced(
    function* (message: Message) {
      const refusal = urlRefusal(message.url, options.targets)
      if (refusal !== null) return yield* failed(`The URL ${refusal}.`)
      const address = yield* addressOf(hostOf(new URL(message.url)), options)
      const status = yield* post(message, address, options.trusted)
      if (status >= 200 && status < 300) return
      if (status === 410) return yield* failed("The endpoint answered 410 (gone).", true)
      return yield* failed(
        status >= 300 && status < 400
          ? `The endpoint answered ${status}: redirects are not followed. Set the final URL in the webhook.`
          : `The endpoint answered ${status}.`,
      )
    },
    Effect.timeoutOrElse({
      duration: sendMsMax,
      orElse: () => Effect.fail(failed(`The endpoint did not answer within ${sendMsMax} ms.`)),
    }),
  )
