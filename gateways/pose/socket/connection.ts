/**
 * One WebSocket client: its authentication, its subscriptions, and the answers to its messages.
 *
 * Messages are handled one after another. Invariants: no message is answered before the client is authenticated and has the permission
 * `read`; a connection ends with its credential (4401); at most `subscriptionsMax` subscriptions; an invalid message is answered with an
 * error and does not end the connection.
 */
import { Cause, Clock, Effect, Option, Queue } from "effect"
import type { Principal } from "../../../protocols/domain/identity.ts"
import { InvalidRequest, Unexpected } from "../../../protocols/pose-api/edge-failures.ts"
import { errorBody, type Failure } from "../../../protocols/pose-api/errors.ts"
import { isoTime } from "../../../protocols/pose-api/forms.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import {
  alertFilterOf,
  alertFiltersApplied,
  alertText,
  readAlertFilters,
} from "../../../protocols/pose-api/socket-alert.ts"
import {
  type Channel,
  channelAccess,
  channels,
  clientMessages,
  errorMessageText,
  filtersApplied,
  messageAccess,
  poseFilterOf,
  readPoseFilters,
  serverText,
  supportedProtocols,
} from "../../../protocols/pose-api/socket-messages.ts"
import { EnrolledEnvironments, spanEnvironments } from "../../frames/enrolled-environments.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { Authenticator } from "../../access/authenticator.ts"
import { authorise } from "../../access/authorise.ts"
import { admit, type Client, credentialEnded, parse, reject } from "./socket-auth.ts"
import type { AlertFeeds } from "./alert-feeds.ts"
import { environmentAsked } from "../routes/environment-asked.ts"
import type { PoseFeeds } from "./pose-feeds.ts"
import type { StatusFeed } from "./status-feed.ts"

export interface Feeds {
  readonly poses: PoseFeeds
  readonly alerts: AlertFeeds
  readonly status: StatusFeed
  readonly uuid: () => string
}

const subscriptionsMax = 32

const cancel = (client: Client, subscriptionId: string): boolean => {
  const end = client.subscriptions.get(subscriptionId)
  end?.()
  return client.subscriptions.delete(subscriptionId)
}

/** Joins the feed of an environment and returns the function that leaves it. `gone` reports that the environment no longer exists. */
type Join = (environmentId: string, gone: () => void) => () => void

/** Joins the feed of one environment; null: of all, including environments that are enrolled later. Returns the function that leaves. */
const joinFeeds = Effect.fnUntraced(function* (environmentId: string | null, join: Join) {
  const enrolled = yield* EnrolledEnvironments
  return environmentId === null ? spanEnvironments(enrolled, join) : join(environmentId, () => {})
})

const subscribeToPoses = Effect.fnUntraced(function* (client: Client, feeds: Feeds, given: Record<string, unknown>) {
  const filters = yield* Effect.fromResult(readPoseFilters(given))
  const environmentId = yield* environmentAsked(filters.environment_id)
  const filter = poseFilterOf(filters)
  const subscriptionId = feeds.uuid()
  client.outbox.reply(serverText("subscription_confirmed", {
    channel: "pose_updates",
    subscription_id: subscriptionId,
    filters_applied: filtersApplied(environmentId, filter),
  }))
  const lane = client.outbox.lane(subscriptionId)
  const leave = yield* joinFeeds(environmentId, (of, gone) =>
    feeds.poses.subscribe(of, client.form, filter, {
      update: lane.update,
      ended: (failure) => {
        if (environmentId === null && failure?._tag === "UnknownEnvironment") return gone()
        const shown = failure ?? new Unexpected({ message: "The stream of this environment ended. Subscribe again." })
        cancel(client, subscriptionId)
        client.outbox.reply(errorMessageText(errorBody(shown, client.form), subscriptionId))
      },
    }))
  client.subscriptions.set(subscriptionId, () => {
    lane.close()
    leave()
  })
})

const subscribeToAlerts = Effect.fnUntraced(function* (client: Client, feeds: Feeds, given: Record<string, unknown>) {
  const filters = yield* Effect.fromResult(readAlertFilters(given))
  const environmentId = yield* environmentAsked(filters.environment_id)
  const filter = alertFilterOf(filters)
  const subscriptionId = feeds.uuid()
  client.outbox.reply(serverText("subscription_confirmed", {
    channel: "alerts",
    subscription_id: subscriptionId,
    filters_applied: alertFiltersApplied(environmentId, filter),
  }))
  const leave = yield* joinFeeds(environmentId, (of, gone) =>
    feeds.alerts.subscribe(of, filter, {
      alert: (alert, known, nowMs) => client.outbox.alert(alertText(client.form, subscriptionId, alert, known, nowMs)),
      ended: (failure) => {
        if (environmentId === null) return gone()
        cancel(client, subscriptionId)
        client.outbox.reply(errorMessageText(errorBody(failure, client.form), subscriptionId))
      },
    }))
  client.subscriptions.set(subscriptionId, leave)
})

/** Acknowledges an alert. All subscribers that received the alert receive the acknowledgement. */
const acknowledge = Effect.fnUntraced(function* (client: Client, feeds: Feeds, principal: Principal, value: unknown) {
  const { alert_id } = yield* Effect.fromResult(clientMessages.acknowledge(value))
  const environmentId = feeds.alerts.environmentOf(alert_id)
  const environment = (yield* Environment.client)(environmentId ?? "")
  const acknowledged = environmentId !== null && (yield* ask(
    `Environment ${environmentId}`,
    environment.Acknowledge({ alertId: alert_id, by: principal.name }),
  )).acknowledged
  if (!acknowledged) return yield* InvalidRequest.of("alert_id", "is not an open alert of a subscription", alert_id)
  client.outbox.reply(serverText("acknowledged", { alert_id }))
})

const subscribeToStatus = (client: Client, feeds: Feeds) =>
  Effect.sync(() => {
    const subscriptionId = feeds.uuid()
    client.outbox.reply(serverText("subscription_confirmed", {
      channel: "system_status",
      subscription_id: subscriptionId,
      filters_applied: {},
    }))
    const leave = feeds.status.subscribe((update) =>
      client.outbox.ephemeral(serverText("system_status", { subscription_id: subscriptionId, ...update }))
    )
    client.subscriptions.set(subscriptionId, leave)
  })

const isChannel = (name: string): name is Channel => (channels as ReadonlyArray<string>).includes(name)

const subscribe = Effect.fnUntraced(function* (client: Client, feeds: Feeds, principal: Principal, value: unknown) {
  const { channel, filters = {} } = yield* Effect.fromResult(clientMessages.subscribe(value))
  if (!isChannel(channel)) {
    return yield* InvalidRequest.of(
      "channel",
      `is not a channel. Use one of ${channels.join(", ")}`,
      channel.slice(0, 64),
    )
  }
  yield* authorise(principal, channelAccess[channel])
  if (client.subscriptions.size >= subscriptionsMax) {
    return yield* InvalidRequest.of(
      "channel",
      `cannot be subscribed to: a connection has at most ${subscriptionsMax} subscriptions. Unsubscribe first`,
    )
  }
  switch (channel) {
    case "pose_updates":
      return yield* subscribeToPoses(client, feeds, filters)
    case "alerts":
      return yield* subscribeToAlerts(client, feeds, filters)
    case "system_status":
      return yield* subscribeToStatus(client, feeds)
  }
})

const unsubscribe = Effect.fnUntraced(function* (client: Client, value: unknown) {
  const { subscription_id } = yield* Effect.fromResult(clientMessages.unsubscribe(value))
  if (!cancel(client, subscription_id)) {
    return yield* InvalidRequest.of("subscription_id", "is not a subscription of this connection", subscription_id)
  }
  client.outbox.reply(serverText("unsubscribed", { subscription_id }))
})

const isMessageType = (type: unknown): type is keyof typeof clientMessages =>
  typeof type === "string" && Object.hasOwn(clientMessages, type)

const handle = Effect.fnUntraced(function* (client: Client, feeds: Feeds, principal: Principal, text: string) {
  const { type, value } = yield* Effect.fromResult(parse(text))
  if (!isMessageType(type)) {
    return yield* InvalidRequest.of("type", `must be one of ${Object.keys(clientMessages).join(", ")}`)
  }
  const access = messageAccess[type]
  if (access !== "public") yield* authorise(principal, access)
  switch (type) {
    case "subscribe":
      return yield* subscribe(client, feeds, principal, value)
    case "unsubscribe":
      return yield* unsubscribe(client, value)
    case "acknowledge":
      return yield* acknowledge(client, feeds, principal, value)
    case "ping":
      yield* Effect.fromResult(clientMessages.ping(value))
      return client.outbox.reply(serverText("pong", { timestamp: isoTime(yield* Clock.currentTimeMillis) }))
    case "auth":
      return yield* InvalidRequest.of("type", "is not expected: this connection is already authenticated", "auth")
  }
})

/** Sends the client the failure of its message. A defect is logged, and its details are not sent. */
const report = (client: Client, cause: Cause.Cause<Failure>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const failure = Option.getOrNull(Cause.findErrorOption(cause))
  const send = (shown: Failure) =>
    Effect.sync(() => client.outbox.reply(errorMessageText(errorBody(shown, client.form))))
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
  const answer = Effect.flatMap(
    Queue.take(client.inbox),
    (text) => Effect.catchCause(handle(client, feeds, caller, text), (cause) => report(client, cause)),
  )
  const { ended } = yield* Authenticator
  yield* Effect.raceFirst(Effect.forever(answer), ended(caller))
  yield* reject(client, credentialEnded)
})
