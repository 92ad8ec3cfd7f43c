/**
 * Authentication of WebSocket clients: reads a client's credentials, and accepts or rejects it with an error and a close code.
 */
import { Effect, Queue, Result } from "effect"
import { type Caller, NotAuthenticated } from "../../../protocols/domain/identity.ts"
import { InvalidRequest, TooManyConnections } from "../../../protocols/pose-api/edge-failures.ts"
import { codeOf, errorBody, type Failure } from "../../../protocols/pose-api/errors.ts"
import type { Form } from "../../../protocols/pose-api/forms.ts"
import {
  channelAccess,
  clientMessages,
  closeCode,
  errorMessageText,
} from "../../../protocols/pose-api/socket-messages.ts"
import { Authenticator } from "../../access/authenticator.ts"
import { authenticate, authoriseOne, hasCredentials, type HeaderReader } from "../../access/authorise.ts"
import { SocketTickets } from "../../access/socket-tickets.ts"
import type { Outbox } from "./outbox.ts"

export interface Client {
  readonly id: string
  readonly form: Form
  readonly header: HeaderReader
  /** Query parameter `token`. */
  readonly token: string | null
  /** Query parameter `ticket`. */
  readonly ticket: string | null
  readonly outbox: Outbox
  /** The next text message. */
  readonly next: Effect.Effect<string>
  readonly close: (code: number, reason: string) => void
  /** Counts this connection under its account. Null, or the limit if it is reached. */
  readonly enter: (caller: Caller) => number | null
  /** The functions that end its subscriptions, by id; called when the connection closes. */
  readonly subscriptions: Map<string, () => void>
}

const authenticationLimit = "10 seconds"

/** The JSON object of a message and its type. */
export const parse = (
  text: string,
): Result.Result<{ readonly type: unknown; readonly value: object }, InvalidRequest> => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && "type" in value) {
      return Result.succeed({ type: value.type, value })
    }
    return Result.fail(InvalidRequest.of("type", `is missing. Use one of ${Object.keys(clientMessages).join(", ")}`))
  } catch {
    return Result.fail(InvalidRequest.of("message", "is not JSON"))
  }
}

const firstMessage = new NotAuthenticated({
  message:
    `Credentials are missing. Send {"type":"auth","token":"..."} first, or a token in a header, or a ticket in the query.`,
})

/** Authenticates the client by query, header or first message. */
const identify = (client: Client) =>
  Effect.gen(function* () {
    const { bearer } = yield* Authenticator
    if (client.ticket !== null) return yield* (yield* SocketTickets).redeem(client.ticket)
    if (client.token !== null) return yield* bearer(client.token)
    if (hasCredentials(client.header)) return yield* authenticate(client.header)
    const message = parse(yield* client.next)
    if (Result.isFailure(message) || message.success.type !== "auth") return yield* firstMessage
    const { token } = yield* Effect.fromResult(clientMessages.auth(message.success.value))
    return yield* bearer(token)
  }).pipe(Effect.timeoutOrElse({ duration: authenticationLimit, orElse: () => Effect.fail(firstMessage) }))

const codeFor = (failure: Failure): number => {
  if (failure._tag === "NotAuthorised") return closeCode.forbidden
  if (failure._tag === "TooManyConnections") return closeCode.tooMany
  return failure._tag === "StoreUnavailable" ? closeCode.internalError : closeCode.unauthorised
}

/** Sends the client the failure and closes the connection. */
export const reject = (client: Client, failure: Failure): Effect.Effect<void> =>
  Effect.sync(() => {
    client.outbox.reply(errorMessageText(errorBody(failure, client.form)))
    client.close(codeFor(failure), codeOf(failure._tag, client.form))
  })

export const credentialEnded = new NotAuthenticated({
  message: "The credentials of this connection have expired or were revoked. Sign in again.",
})

/** The caller of a connection, whose credential may be renewed. */
export interface CallerSession {
  caller: Caller
  /** Has an element when `caller` was replaced. */
  readonly renewals: Queue.Queue<void>
}

export const callerSession = (caller: Caller): Effect.Effect<CallerSession> =>
  Effect.map(Queue.sliding<void>(1), (renewals) => ({ caller, renewals }))

/** Replaces the credential of a connection by a token of the same account. Returns its caller. */
export const renewCredential = Effect.fnUntraced(function* (session: CallerSession, token: string) {
  const { bearer } = yield* Authenticator
  const caller = yield* bearer(token)
  if (caller.kind !== session.caller.kind || caller.id !== session.caller.id) {
    return yield* InvalidRequest.of("token", "belongs to another account. Open another connection for that account")
  }
  yield* authoriseOne(caller, Object.values(channelAccess))
  session.caller = caller
  yield* Queue.offer(session.renewals, undefined)
  return caller
})

/** Completes when the credential of a connection has ended and was not renewed. */
export const credentialEnd = Effect.fnUntraced(function* (session: CallerSession) {
  const { ended } = yield* Authenticator
  let renewed = true
  while (renewed) {
    renewed = yield* Effect.raceFirst(
      Effect.as(ended(session.caller), false),
      Effect.as(Queue.take(session.renewals), true),
    )
  }
})

/** Authenticates the client and checks that it may read. Null if it was rejected. */
export const admit = (client: Client): Effect.Effect<Caller | null, never, Authenticator | SocketTickets> =>
  Effect.gen(function* () {
    const caller = yield* identify(client)
    yield* authoriseOne(caller, Object.values(channelAccess))
    const limit = client.enter(caller)
    if (limit !== null) return yield* new TooManyConnections({ limit })
    return caller
  }).pipe(Effect.catch((failure) => Effect.as(reject(client, failure), null)))
