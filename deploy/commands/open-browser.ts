/**
 * Opens an address in the user's browser.
 */
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import type { OpenCommand } from "../console/open-command.mjs"

/** The browser could not be opened. The message says why. */
class BrowserNotOpened extends Schema.TaggedError<BrowserNotOpened>()("BrowserNotOpened", { message: Schema.String }) {}

/** Runs the command that opens the browser, and waits for its end. */
export const openBrowser = ({ args, program }: OpenCommand): Effect.Effect<void, BrowserNotOpened> =>
  Effect.callback((resume) => {
    const fail = (message: string): void => resume(Effect.fail(new BrowserNotOpened({ message })))
    try {
      const child = spawn(program, args, { stdio: "ignore" })
      child.once("error", (cause) => fail(`${program} could not be run: ${cause.message}`))
      child.once("exit", (code) => code === 0 ? resume(Effect.void) : fail(`${program} ended with status ${code}`))
    } catch (cause) {
      // Deno throws at once without the permission to run the program.
      fail(`${program} could not be run: ${(cause as Error).message}`)
    }
  })
