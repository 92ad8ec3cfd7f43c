/**
 * A command of the home WebSocket: a type, the schema of its other keys, and a handler. It is independent of the connection.
 */
import { Effect, Result, Schema } from "effect"
import { inexactJson } from "../../../protocols/domain/exact-json.ts"
import type { JsonObject } from "../../../protocols/domain/home.ts"
import type { HomeUser } from "../../../protocols/domain/home-token.ts"
import type { HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import type { Events } from "./shared-messages.ts"

/** The client, as a handler sees it. */
interface CommandClient {
  readonly user: HomeUser
  /** Ends a subscription; false if none has this id. */
  readonly unsubscribe: (id: number) => boolean
  /** Whether messages may be sent as arrays. */
  readonly coalesce: (on: boolean) => void
}

/** The client, as the handler of a command that subscribes sees it. */
export interface HomeClient extends CommandClient {
  /** Sends events of a subscription. */
  readonly event: (id: number, events: Events) => void
  /** Registers the function that ends a subscription, under the id of the command that began it. */
  readonly subscribed: (id: number, end: () => void) => void
}

/** Why a command was rejected, in the form of the API. */
export interface Refusal {
  readonly _tag: "Refusal"
  readonly code:
    | "invalid_format"
    | "id_reuse"
    | "unknown_command"
    | "invalid_start_time"
    | "invalid_end_time"
    | "invalid_entity_ids"
    | "not_found"
    | "not_allowed"
    | "not_supported"
    | "service_validation_error"
    | "home_assistant_error"
    | "unknown_error"
  readonly message: string
  readonly translation?: {
    readonly domain: string | null
    readonly key: string | null
    readonly placeholders: Readonly<Record<string, string>> | null
  }
}

export const refusal = (
  code: Refusal["code"],
  message: string,
  translation?: Refusal["translation"],
): Refusal => ({ _tag: "Refusal", code, message, ...(translation === undefined ? {} : { translation }) })

/** The answer to a command. */
export interface Reply {
  /** JSON text of the result; null: a pong. */
  readonly result: string | null
  /** Runs after the answer is queued, in the same turn. */
  readonly then?: () => void
}

export const done: Reply = { result: "null" }
export const jsonReply = (value: unknown): Reply => ({ result: JSON.stringify(value) })

export interface Command<R> {
  readonly type: string
  /** Whether it begins a subscription; their number is limited. */
  readonly subscribes: boolean
  readonly run: (
    client: HomeClient,
    id: number,
    message: object,
  ) => Effect.Effect<Reply, Refusal | HomeUnavailable, R>
}

/** A message whose numbers are JavaScript's, except under the keys `exact`. */
const withExact = (message: JsonObject, exact: ReadonlyArray<string>): JsonObject => ({
  ...inexactJson(message) as JsonObject,
  ...Object.fromEntries(exact.filter((key) => Object.hasOwn(message, key)).map((key) => [key, message[key]!])),
})

const options = { onExcessProperty: "error", errors: "first" } as const

/** A handler of a command with these keys. */
type Handle<Client, Fields extends Schema.Struct.Fields, R> = (call: {
  readonly client: Client
  readonly id: number
  readonly message: Schema.Struct<Fields>["Type"]
}) => Effect.Effect<Reply, Refusal | HomeUnavailable, R>

const makeCommand = <Fields extends Schema.Struct.Fields, R>(
  { exact, fields, subscribes, type }: Pick<Command<R>, "type" | "subscribes"> & {
    readonly fields: Fields
    readonly exact: ReadonlyArray<string>
  },
  handle: Handle<HomeClient, Fields, R>,
): Command<R> => {
  const decode = Schema.decodeUnknownResult(
    Schema.Struct({ id: Schema.Unknown, type: Schema.Unknown, ...fields }) as unknown as Schema.Codec<
      Schema.Struct<Fields>["Type"]
    >,
    options,
  )
  return {
    type,
    subscribes,
    run: (client, id, message) => {
      const read = decode(withExact(message as JsonObject, exact))
      return Result.isFailure(read)
        ? Effect.fail(refusal("invalid_format", read.failure.message))
        : handle({ client, id, message: read.success })
    },
  }
}

/** A command with these keys beside `id` and `type`. Any other key is rejected. Numbers keep their notation under the
 * keys `exact`. */
export const command = <Fields extends Schema.Struct.Fields, R>(
  type: string,
  fields: Fields,
  handle: Handle<CommandClient, Fields, R>,
  exact: ReadonlyArray<keyof Fields & string> = [],
): Command<R> => makeCommand({ type, fields, exact, subscribes: false }, handle)

/** A command that begins a subscription: its handler calls `subscribed`. */
export const subscribingCommand = <Fields extends Schema.Struct.Fields, R>(
  type: string,
  fields: Fields,
  handle: Handle<HomeClient, Fields, R>,
  exact: ReadonlyArray<keyof Fields & string> = [],
): Command<R> => makeCommand({ type, fields, exact, subscribes: true }, handle)
