/**
 * The messages of the pose WebSocket, `/ws/pose`; those of its channel `alerts` are in `socket-alert.ts`.
 *
 * Client messages with an unknown field are rejected, except in `filters`. Server messages for many clients are composed of text that is
 * made once (`updateText`).
 */
import { Schema } from "effect"
import type { Access, Scope } from "../domain/identity.ts"
import { Identifier } from "../domain/site.ts"
import type { Fields } from "./endpoint.ts"
import { Count, Fraction, NullableString, Text, Uuid } from "./fields.ts"
import { type ErrorBody, type Form, IsoTime } from "./forms.ts"
import { reader } from "./input.ts"
import type { PoseFilter } from "./pose-json.ts"
import { PoseFrameSchema } from "./pose-schema.ts"
import { SystemSummarySchema } from "./system-summary.ts"

export const socketPath = "/ws/pose"

/** The supported protocols, which each client receives. */
export const supportedProtocols: ReadonlyArray<string> = ["pose_v1", "alerts_v1"]

/** The channels. */
export const channels = ["pose_updates", "alerts", "system_status"] as const
export type Channel = typeof channels[number]

/** The scope for a subscription to each channel. A connection needs one of them. */
export const channelAccess: Readonly<Record<Channel, Scope>> = {
  pose_updates: "read:poses",
  alerts: "read:events",
  system_status: "read:system",
}

/** Close codes of the server. */
export const closeCode = {
  goingAway: 1001,
  notText: 1003,
  tooBig: 1009,
  internalError: 1011,
  unauthorised: 4401,
  forbidden: 4403,
  tooSlow: 4408,
  tooMany: 4429,
} as const

/** The meaning of each close code. */
export const closeMeanings: Readonly<Record<keyof typeof closeCode, string>> = {
  goingAway: "The service stops, or the WebSocket was switched off. Connect again later.",
  notText: "A message was not text.",
  tooBig: "A message was larger than 1 MiB.",
  internalError: "An internal error occurred. Connect again.",
  unauthorised: "The credentials are missing, invalid, expired or revoked.",
  forbidden: "The account may not read.",
  tooSlow: "The client reads too slowly: too many alerts or answers wait.",
  tooMany: "The account or the address has too many connections.",
}

/** The most ids of a map of frame ids. A node watches fewer environments; the map may also name some that no longer exist. */
const afterFrameIdsMax = 4096

/** By environment, the frame after which a stream continues. */
export const AfterFrameIds = Schema.Record(Schema.String, Count).check(Schema.isMaxProperties(afterFrameIdsMax))

/** The filters of pose frames, over WebSocket and gRPC. */
export const poseFilterFields = {
  min_confidence: Schema.optionalKey(Fraction),
  person_ids: Schema.optionalKey(Schema.Array(Schema.Int).check(Schema.isMaxLength(1000))),
  include_keypoints: Schema.optionalKey(Schema.Boolean),
  include_dense_pose: Schema.optionalKey(Schema.Boolean),
  include_3d: Schema.optionalKey(Schema.Boolean),
}

export const PoseFilters = Schema.Struct({
  environment_id: Schema.optionalKey(Identifier.annotate({ description: "Default: all environments." })),
  after_frame_id: Schema.optionalKey(
    Count.annotate({
      description:
        "Stored frames of `environment_id` after this one are sent first: the last frame that the client has received.",
    }),
  ),
  after_frame_ids: Schema.optionalKey(
    AfterFrameIds.annotate({
      description:
        "Of a subscription to all environments: the last frame that the client has received of each. Stored frames after it are sent first, also of an environment that is enrolled later. One that does not exist has no frames.",
    }),
  ),
  ...poseFilterFields,
})

/** The filters of a subscription to `pose_updates`, as sent by the client. Unknown ones are dropped. */
export const readPoseFilters = reader(PoseFilters, { whole: "filters", lenient: true })

/** The pose filter of these filters. */
export const poseFilterOf = (filters: Schema.Struct<typeof poseFilterFields>["Type"]): PoseFilter => ({
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

/** Client messages by `type`. */
export const ClientMessage = {
  auth: Schema.Struct({ type: Schema.Literal("auth"), id, token: Text(1, 8192) }),
  subscribe: Schema.Struct({
    type: Schema.Literal("subscribe"),
    id,
    channel: Schema.String,
    filters: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  }),
  unsubscribe: Schema.Struct({ type: Schema.Literal("unsubscribe"), id, subscription_id: Text(1, 128) }),
  acknowledge: Schema.Struct({ type: Schema.Literal("acknowledge"), id, alert_id: Text(1, 128) }),
  ping: Schema.Struct({ type: Schema.Literal("ping"), id }),
}

const message = <A>(schema: Fields<A>, secret = false) => reader(schema, { whole: "message", secret })

/** Readers of client messages by `type`. */
export const clientMessages = {
  auth: message(ClientMessage.auth, true),
  subscribe: message(ClientMessage.subscribe),
  unsubscribe: message(ClientMessage.unsubscribe),
  acknowledge: message(ClientMessage.acknowledge),
  ping: message(ClientMessage.ping),
}

/** The access of each client message. A subscription also needs the scope of its channel. */
export const messageAccess: Readonly<Record<keyof typeof clientMessages, Access>> = {
  auth: "public",
  subscribe: "any",
  unsubscribe: "any",
  acknowledge: "write:events",
  ping: "any",
}

/** Where a subscription continues. */
const Resumed = Schema.Struct({ after_frame_id: Count, reason: NullableString })

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
    resumed: Schema.optionalKey(
      Resumed.annotate({
        description:
          "With the filter `after_frame_id`: the frame after which updates begin, and why it is not the requested one, or null.",
      }),
    ),
    resumed_environments: Schema.optionalKey(
      Schema.Record(Schema.String, Resumed).annotate({
        description: "With the filter `after_frame_ids`: the same of each environment that exists now.",
      }),
    ),
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

/** An update of a subscription to `pose_updates`. `poseUpdateHead` and `poseUpdateTail` make its text. */
export const PoseUpdate = (form: Form) => {
  const { frame_id, metadata, persons } = PoseFrameSchema[form].fields
  const environment = { environment_id: Identifier }
  return Schema.Struct({
    type: Schema.Literal("pose_update"),
    subscription_id: Uuid,
    dropped: Count.annotate({
      description:
        "Number of updates of this subscription that were dropped before this one, because the client read slowly.",
    }),
    timestamp: IsoTime,
    ...environment,
    data: Schema.Struct({ frame_id, ...(form === "envelope" ? environment : {}), persons, metadata }),
  })
}

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
