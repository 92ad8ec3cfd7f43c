/**
 * One WebSocket client: its authentication, and the answers to its messages. Its subscriptions are in `subscriptions.ts`.
 *
 * Messages are handled one after another. Invariants: a message is processed only for an authenticated client that has its scope; a connection
 * ends with its credential (4401), which the client may renew; an invalid message is answered with an error and does not end the connection;
 * an answer repeats the id of the message.
 */
import { Cause, Clock, Effect, Option, Result } from "effect"
import { InvalidRequest, Unexpected } from "../../../protocols/pose-api/edge-failures.ts"
import { errorBody, type Failure } from "../../../protocols/pose-api/errors.ts"
import { isoTime, isoTimeOrNull } from "../../../protocols/pose-api/forms.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import {
  clientMessages,
  errorMessageText,
  messageAccess,
  messageIdOf,
  serverText,
  supportedProtocols,
} from "../../../protocols/pose-api/socket-messages.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { authorise } from "../../access/authorise.ts"
import {
  admit,
  type CallerSession,
  callerSession,
  type Client,
  credentialEnd,
  credentialEnded,
  parse,
  reject,
  renewCredential,
} from "./socket-auth.ts"
import { type Asked, cancel, type Feeds, subscribe } from "./subscriptions.ts"

/** Acknowledges an alert. All subscribers that received the alert receive the acknowledgement. */
const acknowledge = Effect.fnUntraced(function* ({ client, feeds, id, principal }: Asked, value: unknown) {
  const { alert_id } = yield* Effect.fromResult(clientMessages.acknowledge(value))
  const environmentId = feeds.alerts.environmentOf(alert_id)
  const environment = (yield* Environment.client)(environmentId ?? "")
  const acknowledged = environmentId !== null && (yield* ask(
    `Environment ${environmentId}`,
    environment.Acknowledge({ alertId: alert_id, by: principal.name }),
  )).acknowledged
  if (!acknowledged) return yield* InvalidRequest.of("alert_id", "is not an open alert of a subscription", alert_id)
  client.outbox.reply(serverText("acknowledged", { alert_id }, id))
})

const unsubscribe = Effect.fnUntraced(function* ({ client, id }: Asked, value: unknown) {
  const { subscription_id } = yield* Effect.fromResult(clientMessages.unsubscribe(value))
  if (!cancel(client, subscription_id)) {
    return yield* InvalidRequest.of("subscription_id", "is not a subscription of this connection", subscription_id)
  }
  client.outbox.reply(serverText("unsubscribed", { subscription_id }, id))
})

const isMessageType = (type: unknown): type is keyof typeof clientMessages =>
  typeof type === "string" && Object.hasOwn(clientMessages, type)

const renew = Effect.fnUntraced(function* ({ client, id }: Asked, session: CallerSession, value: unknown) {
  const { token } = yield* Effect.fromResult(clientMessages.auth(value))
  const { expiresAtMs } = yield* renewCredential(session, token)
  client.outbox.reply(serverText("authenticated", { expires_at: isoTimeOrNull(expiresAtMs) }, id))
})

const handle = Effect.fnUntraced(function* (asked: Asked, session: CallerSession, message: ReturnType<typeof parse>) {
  const { type, value } = yield* Effect.fromResult(message)
  if (!isMessageType(type)) {
    return yield* InvalidRequest.of("type", `must be one of ${Object.keys(clientMessages).join(", ")}`)
  }
  yield* authorise(asked.principal, messageAccess[type])
  switch (type) {
    case "subscribe":
      return yield* subscribe(asked, value)
    case "unsubscribe":
      return yield* unsubscribe(asked, value)
    case "acknowledge":
      return yield* acknowledge(asked, value)
    case "ping": {
      yield* Effect.fromResult(clientMessages.ping(value))
      const timestamp = isoTime(yield* Clock.currentTimeMillis)
      return asked.client.outbox.reply(serverText("pong", { timestamp }, asked.id))
    }
    case "auth":
      return yield* renew(asked, session, value)
  }
})

/** Sends the client the failure of its message. A defect is logged, and its details are not sent. */
const report = ({ client, id }: Asked, cause: Cause.Cause<Failure>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const failure = Option.getOrNull(Cause.findErrorOption(cause))
  const send = (shown: Failure) =>
    Effect.sync(() => client.outbox.reply(errorMessageText(errorBody(shown, client.form), { id })))
  if (failure !== null) return send(failure)
  return Effect.logError("WebSocket message failed unexpectedly", cause).pipe(
    Effect.annotateLogs({ client_id: client.id }),
    Effect.andThen(send(new Unexpected({ message: `An unexpected error occurred on connection ${client.id}.` }))),
  )
}

/** Serves a client until it is interrupted or rejected, or its credential ends. */
export const serveClient = Effect.fnUntraced(function* (client: Client, feeds: Feeds) {
  const caller = yield* admit(client)
  if (caller === null) return
  client.outbox.reply(serverText("connection_established", {
    client_id: client.id,
    server_time: isoTime(yield* Clock.currentTimeMillis),
    supported_protocols: supportedProtocols,
  }))
  const session = yield* callerSession(caller)
  const answer = Effect.flatMap(client.next, (text) => {
    const message = parse(text)
    const id = Result.isSuccess(message) ? messageIdOf(message.success.value) : null
    const asked: Asked = { client, feeds, principal: session.caller, id }
    return Effect.catchCause(handle(asked, session, message), (cause) => report(asked, cause))
  })
  yield* Effect.raceFirst(Effect.forever(answer), credentialEnd(session))
  yield* reject(client, credentialEnded)
})
