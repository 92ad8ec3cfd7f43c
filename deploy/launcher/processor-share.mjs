/**
 * The service's share of the processor. Frames and alerts have deadlines, so beside busy processes the service should get more than each of them.
 *
 * Linux gives each session the same share (autogroups), and every child process of the service has a session of its own. `/proc/PID/autogroup` has the
 * niceness of a session: at -7 its share is five times the usual. A negative one needs root or CAP_SYS_NICE. Without that, in other systems, and
 * where control groups distribute the processor (`deploy/systemd`, `deploy/container`), nothing changes.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"

const usual = 0
/** Children start later, and again after a failure. */
const everyMs = 5_000

const childrenOf = (pid) =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" "))
    .filter((child) => child !== "")
    .map(Number)

const nicenessOf = (pid) => Number(/nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, "utf8"))?.[1])

/** What `use` returns; `otherwise` where a process has ended, or this system or user may not read or change it. */
const attempt = (use, otherwise) => {
  try {
    return use()
  } catch {
    return otherwise
  }
}

/** Changes the niceness of the session of a process from one value to another; false where it is another, or may not be changed. */
const change = (pid, from, to) =>
  attempt(() => {
    if (nicenessOf(pid) !== from) return false
    writeFileSync(`/proc/${pid}/autogroup`, String(to))
    return true
  }, false)

/** Calls `use` with all processes that a process has started, and those that they have. */
const forDescendants = (pid, use) => {
  for (const child of attempt(() => childrenOf(pid), [])) {
    use(child)
    forDescendants(child, use)
  }
}

/** Whether a process runs a program: plugins are children, too, and keep the usual share. */
const runs = (pid, program) =>
  attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(program), false)

/**
 * Gives the sessions of a process and of its children that run the same program a niceness, also those of later children, unless somebody gave
 * them another than the usual. The returned function ends this, and gives the session of this process the usual one again: a terminal's session
 * goes on.
 */
export const setShare = (pid, program, niceness) => {
  if (!Number.isInteger(niceness) || niceness === usual || !change(pid, usual, niceness)) return () => undefined
  const follow = () => forDescendants(pid, (child) => runs(child, program) && change(child, usual, niceness))
  follow()
  const timer = setInterval(follow, everyMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    change(process.pid, niceness, usual)
  }
}
