/** The processor time that the machine spends on others than this process and its children. */
import { readdirSync, readFileSync } from "node:fs"

/** Kernel ticks per second in `/proc`. */
export const ticksPerS = 100

/** Ticks in which a processor was busy since the machine has started. */
export const busyTicks = (): number => {
  const [user, nice, system, , , interrupt, softInterrupt] = readFileSync("/proc/stat", "utf8").split("\n")[0]!
    .split(/\s+/).slice(1).map(Number)
  return user! + nice! + system! + interrupt! + softInterrupt!
}

/** Of each process: its parent, and the ticks of it and of its children that have ended. */
const processes = () =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number)
      return [{ pid: Number(pid), parent: fields[1]!, ticks: fields[11]! + fields[12]! + fields[13]! + fields[14]! }]
    } catch {
      // It has ended.
      return []
    }
  })

const ownTicks = (): number => {
  const all = processes()
  const own = new Set([process.pid])
  // A child may have a lower number than its parent.
  for (let before = 0; before < own.size;) {
    before = own.size
    for (const { parent, pid } of all) if (own.has(parent)) own.add(pid)
  }
  return all.reduce((sum, { pid, ticks }) => own.has(pid) ? sum + ticks : sum, 0)
}

/** Begins to measure; returns a function that returns the mean number of cores that others have used since. */
export const startForeignLoad = (): () => number => {
  const [busy, own, startMs] = [busyTicks(), ownTicks(), performance.now()]
  return () => {
    const seconds = (performance.now() - startMs) / 1000
    return Math.max(0, busyTicks() - busy - (ownTicks() - own)) / ticksPerS / seconds
  }
}
