/**
 * The result of a command on stdout: text, or one JSON object with `--json`. Progress and messages go to stderr.
 */
import { Console, type Effect } from "effect"

/** Prints a result in the form that was asked for. */
export const printResult = (json: boolean, value: unknown, text: string): Effect.Effect<void> =>
  Console.log(json ? JSON.stringify(value) : text)
