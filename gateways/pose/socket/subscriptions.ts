/**
 * The subscriptions of one WebSocket client, by channel.
 *
 * Invariant: a connection has at most `subscriptionsMax` subscriptions.
 */
import { Effect } from "effect"
import type { ActorUnavailable, StoreUnavailable, UnknownEnvironment } from "../../../protocols/domain/failure.ts"
import type { Principal } from "../../../protocols/domain/identity.ts"
import { InvalidRequest, Unexpected } from "../../../protocols/pose-api/edge-failures.ts"
import { errorBody, type Failure } from "../../../protocols/pose-api/errors.ts"
import type { PoseFilter } from "../../../protocols/pose-api/pose-json.ts"
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
  type MessageId,
  poseFilterOf,
  readPoseFilters,
  serverText,
} from "../../../protocols/pose-api/socket-messages.ts"
import { authorise } from "../../access/authorise.ts"
import { EnrolledEnvironments, spanEnvironments } from "../../frames/enrolled-environments.ts"
import type { Resumption } from "../../frames/resumed-frames.ts"
import { environmentAsked } from "../routes/environment-asked.ts"
import type { AlertFeeds } from "./alert-feeds.ts"
import type { PoseFeeds } from "./pose-feeds.ts"
import { resumeEnvironments } from "./resumed-environments.ts"
import type { ResumedUpdates } from "./resumed-updates.ts"
import type { Client } from "./socket-auth.ts"
import type { StatusFeed } from "./status-feed.ts"

export interface Feeds {
  readonly poses: PoseFeeds
  readonly resumed: ResumedUpdates
  readonly alerts: AlertFeeds
  readonly status: StatusFeed
  readonly uuid: () => string
}

/** A client's message that is being handled. */
export interface Asked {
  readonly client: Client
  readonly feeds: Feeds
  readonly principal: Principal
  /** The id that the client gave the message. */
  readonly id: MessageId | null
}

const subscriptionsMax = 32

/** Ends a subscription. False if the connection has none of this id. */
export const cancel = (client: Client, subscriptionId: string): boolean => {
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

/** Ends a subscription with an error. */
const endWith = (client: Client, subscriptionId: string, failure: Failure | null): void => {
  const shown = failure ?? new Unexpected({ message: "The stream of this environment ended. Subscribe again." })
  cancel(client, subscriptionId)
  client.outbox.reply(errorMessageText(errorBody(shown, client.form), { subscriptionId }))
}

/** Why the frames of an environment end; null: unexpectedly. */
type Ending = UnknownEnvironment | ActorUnavailable | StoreUnavailable | null

/** Sends the frames after a frame id, in a lane of their own: stored frames wait until it is free. Returns the function that ends that. */
const sendResumed = (
  { client, feeds }: Asked,
  frames: Resumption["frames"],
  { ended, filter, subscriptionId }: {
    readonly ended: (failure: Ending) => void
    readonly filter: PoseFilter
    readonly subscriptionId: string
  },
): () => void => {
  const { form, outbox } = client
  const lane = outbox.lane(subscriptionId)
  const end = feeds.resumed.send(frames, {
    form,
    filter,
    lane,
    ended: (failure) => {
      lane.whenFree(lane.close)
      ended(failure)
    },
  })
  return () => {
    lane.close()
    end()
  }
}

/** Subscribes to the frames of one environment after a frame id. */
const resumeOne = Effect.fnUntraced(function* (
  asked: Asked,
  environmentId: string | null,
  afterFrameId: number,
  filter: PoseFilter,
) {
  const { client, feeds, id } = asked
  if (environmentId === null) {
    return yield* InvalidRequest.of(
      "after_frame_id",
      "needs environment_id: frame ids belong to one environment. For all environments, use after_frame_ids",
      afterFrameId,
    )
  }
  const { frames, ...start } = yield* feeds.resumed.resume(environmentId, afterFrameId)
  const subscriptionId = feeds.uuid()
  client.outbox.reply(serverText("subscription_confirmed", {
    channel: "pose_updates",
    subscription_id: subscriptionId,
    filters_applied: { ...filtersApplied(environmentId, filter), after_frame_id: afterFrameId },
    resumed: { after_frame_id: start.afterFrameId, reason: start.reason },
  }, id))
  const ended = (failure: Ending) => endWith(client, subscriptionId, failure)
  client.subscriptions.set(subscriptionId, sendResumed(asked, frames, { ended, filter, subscriptionId }))
})

const subscribeToPoses = Effect.fnUntraced(function* (asked: Asked, given: Record<string, unknown>) {
  const { client, feeds, id } = asked
  const filters = yield* Effect.fromResult(readPoseFilters(given))
  const { after_frame_id: afterFrameId, after_frame_ids: afterFrameIds } = filters
  const environmentId = yield* environmentAsked(filters.environment_id)
  const filter = poseFilterOf(filters)
  if (environmentId !== null && afterFrameIds !== undefined) {
    return yield* InvalidRequest.of(
      "after_frame_ids",
      "is for a subscription to all environments. With environment_id, use after_frame_id",
    )
  }
  if (afterFrameId !== undefined) return yield* resumeOne(asked, environmentId, afterFrameId, filter)
  const resumed = afterFrameIds === undefined ? null : yield* resumeEnvironments(feeds.resumed, afterFrameIds)
  const subscriptionId = feeds.uuid()
  client.outbox.reply(serverText("subscription_confirmed", {
    channel: "pose_updates",
    subscription_id: subscriptionId,
    filters_applied: {
      ...filtersApplied(environmentId, filter),
      ...(afterFrameIds === undefined ? {} : { after_frame_ids: afterFrameIds }),
    },
    ...(resumed === null ? {} : { resumed_environments: resumed.starts }),
  }, id))
  const lane = client.outbox.lane(subscriptionId)
  const leave = yield* joinFeeds(environmentId, (of, gone) => {
    const ended = (failure: Ending) => {
      if (environmentId === null && failure?._tag === "UnknownEnvironment") return gone()
      endWith(client, subscriptionId, failure)
    }
    const frames = resumed?.framesOf(of) ?? null
    return frames === null
      ? feeds.poses.subscribe(of, client.form, filter, { update: lane.update, ended })
      : sendResumed(asked, frames, { ended, filter, subscriptionId })
  })
  client.subscriptions.set(subscriptionId, () => {
    lane.close()
    leave()
  })
})

const subscribeToAlerts = Effect.fnUntraced(function* ({ client, feeds, id }: Asked, given: Record<string, unknown>) {
  const filters = yield* Effect.fromResult(readAlertFilters(given))
  const environmentId = yield* environmentAsked(filters.environment_id)
  const filter = alertFilterOf(filters)
  const subscriptionId = feeds.uuid()
  client.outbox.reply(serverText("subscription_confirmed", {
    channel: "alerts",
    subscription_id: subscriptionId,
    filters_applied: alertFiltersApplied(environmentId, filter),
  }, id))
  const leave = yield* joinFeeds(environmentId, (of, gone) =>
    feeds.alerts.subscribe(of, filter, {
      alert: (alert, known, nowMs) => client.outbox.alert(alertText(client.form, subscriptionId, alert, known, nowMs)),
      ended: (failure) => {
        if (environmentId === null) return gone()
        endWith(client, subscriptionId, failure)
      },
    }))
  client.subscriptions.set(subscriptionId, leave)
})

const subscribeToStatus = ({ client, feeds, id }: Asked) =>
  Effect.sync(() => {
    const subscriptionId = feeds.uuid()
    client.outbox.reply(serverText("subscription_confirmed", {
      channel: "system_status",
      subscription_id: subscriptionId,
      filters_applied: {},
    }, id))
    const leave = feeds.status.subscribe((update) =>
      client.outbox.ephemeral(serverText("system_status", { subscription_id: subscriptionId, ...update }))
    )
    client.subscriptions.set(subscriptionId, leave)
  })

const isChannel = (name: string): name is Channel => (channels as ReadonlyArray<string>).includes(name)

/** Answers the message `subscribe`. */
export const subscribe = Effect.fnUntraced(function* (asked: Asked, value: unknown) {
  const { client, principal } = asked
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
      return yield* subscribeToPoses(asked, filters)
    case "alerts":
      return yield* subscribeToAlerts(asked, filters)
    case "system_status":
      return yield* subscribeToStatus(asked)
  }
})
