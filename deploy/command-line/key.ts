/**
 * The command line of `key`: the API keys of a running service.
 */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Role, Scope } from "../../protocols/domain/identity.ts"
import { json, loaded, serviceUrl } from "./flags.ts"

const createCommand = Command.make(
  "create",
  {
    name: Argument.String("name").pipe(Argument.withDescription("Name of the program that uses the key")),
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDescription("The most that the key may do; default viewer"),
      Flag.withDefault("viewer"),
    ),
    scopes: Flag.Literals("scope", Scope.literals).pipe(
      Flag.withDescription("Limits the key to a scope of its role; repeatable; without it the key has all of them"),
      Flag.atLeast(0),
    ),
    expiresInDays: Flag.Finite("expires-in-days").pipe(
      Flag.withSchema(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(36_500))),
      Flag.withDescription("Days after which the key expires; without it it does not expire"),
      Flag.optional,
    ),
    url: serviceUrl,
    json,
  },
  Effect.fn(function* ({ expiresInDays, ...options }) {
    const { createKey } = yield* loaded(() => import("../commands/key-command.ts"))
    yield* createKey({ ...options, expiresInDays: Option.getOrNull(expiresInDays) })
  }),
).pipe(Command.withDescription("Create an API key and print it, once"))

const listCommand = Command.make(
  "list",
  { url: serviceUrl, json },
  Effect.fn(function* (options) {
    const { listKeys } = yield* loaded(() => import("../commands/key-command.ts"))
    yield* listKeys(options)
  }),
).pipe(Command.withDescription("List the API keys with their scopes, expiry and last use"))

const revokeCommand = Command.make(
  "revoke",
  { keyId: Argument.String("key-id").pipe(Argument.withDescription("Id, as `list` shows it")), url: serviceUrl, json },
  Effect.fn(function* (options) {
    const { revokeKey } = yield* loaded(() => import("../commands/key-command.ts"))
    yield* revokeKey(options)
  }),
).pipe(Command.withDescription("Revoke an API key; its connections end"))

export const keyCommand = Command.make("key").pipe(
  Command.withDescription("Manage the API keys of a running service"),
  Command.withSubcommands([createCommand, listCommand, revokeCommand]),
)
