/**
 * The command line of `wavepose user`. Users are managed over the API. The command is for a service whose administrators cannot sign in.
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { json, loaded } from "./flags.ts"

const resetPassword = Command.make(
  "reset-password",
  {
    username: Argument.String("username").pipe(
      Argument.withDescription("Name of the user; default: the first administrator (WAVEPOSE_ADMIN_USERNAME)"),
      Argument.optional,
    ),
    from: Flag.Literals("password-from", ["generated", "environment", "stdin"]).pipe(
      Flag.withDescription(
        "generated: a random password, printed once (default); environment: WAVEPOSE_ADMIN_PASSWORD; stdin",
      ),
      Flag.withDefault("generated"),
    ),
    json,
  },
  Effect.fn(function* ({ from, json, username }) {
    const { resetUserPassword } = yield* loaded(() => import("../composition/reset-password.ts"))
    yield* resetUserPassword({ from, json, username: Option.getOrNull(username) })
  }),
).pipe(
  Command.withDescription(
    "Set a new password for a user and end the user's sign-ins; stop a service on the embedded database first",
  ),
)

export const userCommand = Command.make("user").pipe(
  Command.withDescription("Reset a lost password in the database"),
  Command.withSubcommands([resetPassword]),
)
