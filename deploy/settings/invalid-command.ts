/**
 * The error of a command line that cannot be executed.
 */
import { Schema } from "effect"

/** A command line that cannot be executed. The message says what to change. */
export class InvalidCommand
  extends Schema.TaggedError<InvalidCommand>()("InvalidCommand", { message: Schema.String }) {}
