/**
 * How a program ends: its exit code, the line about a signal that nobody here has sent, and the end of the process that started the launcher.
 */
import { constants } from "node:os"
import { say } from "./say.mjs"

/** The exit code of a program as a shell gives it: 128 and the number of the signal that ended it. */
export const exitCodeOf = (code, signal) => code ?? 128 + (constants.signals[signal] ?? constants.signals.SIGTERM)

/** Says which signal ended a program, unless it is one that the launcher has received as well: then its sender knows. */
export const saySignal = (signal, received) => {
  if (signal === null || received.has(signal)) return
  const cause = signal === "SIGKILL"
    ? "The system may have run out of memory: `dmesg` or `journalctl -k` says so. Give it more memory, or stop other programs."
    : "Another program sent it, or the program crashed. The lines before this one may say why."
  say("error", `the program was ended by ${signal}. ${cause}`)
}

const everyMs = 500
/** Read at the beginning: an installation before the program takes minutes. */
const parent = process.ppid

/**
 * Calls `use` when the parent of this process has ended, if npm or npx is above it: they end at a signal, which their shell does not
 * forward. Other parents may end before the launcher, as a shell that started it in the background. The returned function ends the watch.
 */
export const watchParent = (use) => {
  if (process.env.npm_lifecycle_event === undefined) return () => undefined
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    use()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
