/**
 * The errors of a command line that cannot be executed. Their messages say what to change.
 */
import { Schema } from "effect"

/** The arguments themselves are wrong, whatever the state of the machine and of the service. */
export class InvalidArguments
  extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", { message: Schema.String }) {}

/** The command cannot be executed here and now. */
export class InvalidCommand
  extends Schema.TaggedError<InvalidCommand>()("InvalidCommand", { message: Schema.String }) {}
