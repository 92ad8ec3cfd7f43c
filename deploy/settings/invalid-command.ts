/**
 * What a command says of a command line that it cannot carry out.
 */
import { Schema } from "effect"

/** A command line that cannot be carried out; the message says what to change. */
export class InvalidCommand
  extends Schema.TaggedError<InvalidCommand>()("InvalidCommand", { message: Schema.String }) {}
