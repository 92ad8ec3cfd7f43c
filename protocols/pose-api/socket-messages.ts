/**
 * The messages of the pose WebSocket, `/ws/pose`; those of its channel `alerts` are in `socket-alert.ts`.
 *
 * Client messages with an unknown field are rejected, except in `filters`. Server messages for many clients are composed of text that is
 * made once (`updateText`).
 */
import { Schema } from "effect"
import type { Permission } from "../domain/identity.ts"
import { Identifier } from "../domain/site.ts"
import type { Fields } from "./endpoint.ts"
import { Count, Fraction, NullableString, Text } from "./fields.ts"
import { type ErrorBody, IsoTime } from "./forms.ts"
import { reader } from "./input.ts"
import type { PoseFilter } from "./pose-json.ts"
import { SystemSummarySchema } from "./system-status.ts"

export const socketPath = "/ws/pose"

/** The supported protocols, which each client receives. */
export const supportedProtocols: ReadonlyArray<string> = ["pose_v1", "alerts_v1"]

/** The channels. */
export const channels = ["pose_updates", "alerts", "system_status"] as const
export type Channel = typeof channels[number]

/** The permission for a subscription to each channel. */
export const channelAccess: Readonly<Record<Channel, Permission>> = {
  pose_updates: "read",
  alerts: "read",
  system_status: "read",
}

/** Close codes of the server. */
export const closeCode = {
  goingAway: 1001,
  notText: 1003,
  internalError: 1011,
  unauthorised: 4401,
  forbidden: 4403,
  tooSlow: 4408,
  tooMany: 4429,
} as const

const PoseFilters = Schema.Struct({
  environment_id: Schema.optionalKey(Identifier),
  /** Stored frames of `environment_id` after this one are sent first. */
  after_frame_id: Schema.optionalKey(Count),
  min_confidence: Schema.optionalKey(Fraction),
  person_ids: Schema.optionalKey(Schema.Array(Schema.Int).check(Schema.isMaxLength(1000))),
  include_keypoints: Schema.optionalKey(Schema.Boolean),
  include_dense_pose: Schema.optionalKey(Schema.Boolean),
  include_3d: Schema.optionalKey(Schema.Boolean),
})

/** The filters of a subscription to `pose_updates`, as sent by the client. Unknown ones are dropped. */
export const readPoseFilters = reader(PoseFilters, { whole: "filters", lenient: true })

/** The pose filter of these filters. */
export const poseFilterOf = (filters: typeof PoseFilters.Type): PoseFilter => ({
  minConfidence: filters.min_confidence ?? 0,
  personIds: filters.person_ids === undefined ? null : new Set(filters.person_ids),
  includeKeypoints: filters.include_keypoints ?? true,
  include3d: filters.include_3d ?? false,
  includeDensePose: filters.include_dense_pose ?? false,
})

/** The applied filters, including defaults. `environmentId` null: all environments. */
export const filtersApplied = (environmentId: string | null, filter: PoseFilter) => ({
  environment_id: environmentId,
  min_confidence: filter.minConfidence,
  person_ids: filter.personIds === null ? null : [...filter.personIds],
  include_keypoints: filter.includeKeypoints,
  include_dense_pose: filter.includeDensePose,
  include_3d: filter.include3d,
})

/** The id that a client gives a message. The answer to the message repeats it. */
const MessageId = Schema.Union([Text(1, 128), Schema.Int])
export type MessageId = typeof MessageId.Type

const isMessageId = Schema.is(MessageId)

/** The id of a client's message, which may be invalid otherwise; null without a valid one. */
export const messageIdOf = (message: object): MessageId | null =>
  "id" in message && isMessageId(message.id) ? message.id : null

const id = Schema.optionalKey(MessageId)

const message = <A>(schema: Fields<A>, secret = false) => reader(schema, { whole: "message", secret })

/** Readers of client messages by `type`. */
export const clientMessages = {
  auth: message(Schema.Struct({ type: Schema.Literal("auth"), id, token: Text(1, 8192) }), true),
  subscribe: message(Schema.Struct({
    type: Schema.Literal("subscribe"),
    id,
    channel: Schema.String,
    filters: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  })),
  unsubscribe: message(Schema.Struct({ type: Schema.Literal("unsubscribe"), id, subscription_id: Text(1, 128) })),
  acknowledge: message(Schema.Struct({ type: Schema.Literal("acknowledge"), id, alert_id: Text(1, 128) })),
  ping: message(Schema.Struct({ type: Schema.Literal("ping"), id })),
}

/** The permission for each client message; `public`: none. */
export const messageAccess: Readonly<Record<keyof typeof clientMessages, "public" | Permission>> = {
  auth: "public",
  subscribe: "read",
  unsubscribe: "read",
  acknowledge: "control",
  ping: "read",
}

/** Server messages by `type`. */
export const ServerMessage = {
  connection_established: Schema.Struct({
    type: Schema.Literal("connection_established"),
    client_id: Schema.String,
    server_time: IsoTime,
    supported_protocols: Schema.Array(Schema.String),
  }),
  subscription_confirmed: Schema.Struct({
    type: Schema.Literal("subscription_confirmed"),
    id,
    channel: Schema.Literals(channels),
    subscription_id: Schema.String,
    filters_applied: Schema.Record(Schema.String, Schema.Unknown),
    /** With the filter `after_frame_id`: the frame after which updates begin, and why it is not the requested one, or null. */
    resumed: Schema.optionalKey(Schema.Struct({ after_frame_id: Count, reason: NullableString })),
  }),
  /** The answer to `auth` on an authenticated connection: the connection now lasts until the end of this token. */
  authenticated: Schema.Struct({
    type: Schema.Literal("authenticated"),
    id,
    expires_at: Schema.NullOr(IsoTime),
  }),
  unsubscribed: Schema.Struct({ type: Schema.Literal("unsubscribed"), id, subscription_id: Schema.String }),
  acknowledged: Schema.Struct({ type: Schema.Literal("acknowledged"), id, alert_id: Schema.String }),
  pong: Schema.Struct({ type: Schema.Literal("pong"), id, timestamp: IsoTime }),
  system_status: Schema.Struct({
    type: Schema.Literal("system_status"),
    subscription_id: Schema.String,
    timestamp: IsoTime,
    status: SystemSummarySchema,
  }),
  error: Schema.Struct({
    type: Schema.Literal("error"),
    id,
    subscription_id: Schema.optionalKey(Schema.String),
    error: Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      details: Schema.Record(Schema.String, Schema.Unknown),
    }),
  }),
}

type OwnMessage = Exclude<keyof typeof ServerMessage, "error">
type Body<Type extends OwnMessage> = Omit<(typeof ServerMessage)[Type]["Type"], "type" | "id">

const idField = (id: MessageId | null) => id === null ? {} : { id }

/** The JSON text of a server message. `id`: of the client's message that it answers. */
export const serverText = <Type extends OwnMessage>(
  type: Type,
  body: Body<Type>,
  id: MessageId | null = null,
): string => JSON.stringify({ type, ...idField(id), ...body })

interface ErrorSubject {
  /** The subscription that the error ended. */
  readonly subscriptionId?: string
  /** The client's message that the error answers. */
  readonly id?: MessageId | null
}

/** The JSON text of an error message. */
export const errorMessageText = (error: ErrorBody, { id = null, subscriptionId }: ErrorSubject = {}): string =>
  JSON.stringify({
    type: "error",
    ...idField(id),
    ...(subscriptionId === undefined ? {} : { subscription_id: subscriptionId }),
    error,
  })

/**
 * A `pose_update` is the head of one subscriber, and a tail that all subscribers with the same filters share. Ids are UUIDs and need no
 * escaping.
 */
export const poseUpdateHead = (subscriptionId: string, dropped: number): string =>
  `{"type":"pose_update","subscription_id":"${subscriptionId}","dropped":${dropped},`

/** The tail, from the text of an update (`updateText`). */
export const poseUpdateTail = (text: string): string => text.slice(1)
