/** How the launcher notices the end of the process that started it. */
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
