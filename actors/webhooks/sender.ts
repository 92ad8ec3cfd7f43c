/**
 * Sends one message to one endpoint.
 *
 * Invariants: an address that was not checked is not connected to, whatever the name resolves to a moment later; no redirect is
 * followed; nothing of the answer but its status is used, and its body is not read; a try ends within `sendMsMax`.
 */
import { Data, Effect } from "effect"
import { lookup as resolveName } from "node:dns/promises"
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import type { WebhookTargets } from "../../protocols/domain/webhook.ts"
import { addressRefusal, hostOf, urlRefusal } from "../../protocols/pose-api/webhook-url.ts"

const sendMsMax = 10_000

/** A try that failed; `gone`: the endpoint wants no more, ever. */
class SendFailed extends Data.TaggedError("SendFailed")<{ readonly message: string; readonly gone: boolean }> {}

const failed = (message: string, gone = false) => new SendFailed({ message, gone })

export interface SenderOptions {
  readonly targets: WebhookTargets
  /** The addresses of a name; default: the machine's resolver. */
  readonly resolve?: (host: string) => Promise<ReadonlyArray<string>>
  /** Certificates in PEM that are trusted instead of the usual ones. */
  readonly trusted?: string
}

interface Message {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Send = (message: Message) => Effect.Effect<void, SendFailed>

const ofMachine = async (host: string): Promise<ReadonlyArray<string>> =>
  (await resolveName(host, { all: true })).map(({ address }) => address)

/** The first address of a host that may be called. */
const addressOf = (host: string, { resolve = ofMachine, targets }: SenderOptions): Effect.Effect<string, SendFailed> =>
  Effect.gen(function* () {
    const addresses = isIP(host) !== 0 ? [host] : yield* Effect.tryPromise({
      try: () => resolve(host),
      catch: (cause) => failed(`The name ${host} does not resolve: ${reasonOf(cause)}`),
    })
    const refusals = addresses.map((address) => addressRefusal(address, targets))
    const allowed = addresses.find((_, i) => refusals[i] === null)
    return allowed ?? (yield* failed(`${host} is not called: ${refusals[0] ?? "it has no address"}.`))
  })

const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** Connections go to the address that was checked; the name is only what is asked for there. */
const pinned = (address: string): LookupFunction => (_host, options, answer) =>
  options.all === true ? answer(null, [{ address, family: isIP(address) }]) : answer(null, address, isIP(address))

/** The status of the answer. */
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

/** Sends a message; done when the endpoint has answered with a status of 200 to 299. */
export const makeSend = (options: SenderOptions): Send =>
  Effect.fnUntraced(
    function* (message: Message) {
      const refusal = urlRefusal(message.url, options.targets)
      if (refusal !== null) return yield* failed(`The URL ${refusal}.`)
      const address = yield* addressOf(hostOf(new URL(message.url)), options)
      const status = yield* post(message, address, options.trusted)
      if (status >= 200 && status < 300) return
      if (status === 410) return yield* failed("The endpoint has answered 410: it is gone.", true)
      return yield* failed(
        status >= 300 && status < 400
          ? `The endpoint has answered ${status}: redirects are not followed. Give the webhook its final URL.`
          : `The endpoint has answered ${status}.`,
      )
    },
    Effect.timeoutOrElse({
      duration: sendMsMax,
      orElse: () => Effect.fail(failed(`The endpoint did not answer within ${sendMsMax} ms.`)),
    }),
  )
