/**
 * The budget of a plugin's process, and the judge of what the process used.
 *
 * Each rule allows a burst, for example for the setup, and a rate afterwards. A process that exceeds a rule is ended by its host.
 */
import { createTokenBucket } from "../activity/token-bucket.ts"

export interface PluginBudget {
  /** Resident memory of the process, MiB; three quarters of it for the JavaScript heap. */
  readonly memoryMib: number
  /** Processor time per second, in cores, beyond a burst of `burstCpuS`. */
  readonly cpuCores: number
  /** Files in the folders that it may write, MiB. */
  readonly diskMib: number
  /** What the disks that it may write must have left for others, MiB; a tenth of a disk where that is less. */
  readonly diskFreeMib: number
  /** Messages of the plugin's own accord per second, beyond a burst of `burstS` seconds' worth. */
  readonly messagesPerS: number
}

export const defaultPluginBudget: PluginBudget = {
  memoryMib: 256,
  cpuCores: 0.25,
  diskMib: 64,
  diskFreeMib: 128,
  messagesPerS: 200,
}

/** Processor time that a plugin may use at once, s: a process that only computes is ended after four seconds. */
const burstCpuS = 3
const burstS = 10
/** Without a report for so long, s: the host was paused. A plugin whose reports stop for five seconds is ended. */
const pauseS = 6
/** For the reports that waited meanwhile to arrive, s. */
const afterPauseS = 2
/** Characters of messages from the plugin, per second and at once. */
const charactersPerS = 4 * 2 ** 20
const charactersBurst = 32 * 2 ** 20
/** Of a disk. */
const reserveOfDisk = 0.1
/** Files and folders in the folders that it may write. */
export const filesMax = 2_000
const mib = 2 ** 20

/** What the process used since its start. */
export interface ProcessUsage {
  readonly cpuMs: number
  readonly residentBytes: number
}

export interface DiskSpace {
  readonly freeBytes: number
  readonly totalBytes: number
}

export interface DiskUsage {
  readonly bytes: number
  readonly files: number
  /** The disks that it may write. */
  readonly disks: ReadonlyArray<DiskSpace>
}

/** Each returns the reason to end the process; null: within the budget. `timeS` is of the host's clock: the process cannot move it. */
interface BudgetJudge {
  readonly messages: (timeS: number, characters: number, messages: number) => string | null
  readonly usage: (timeS: number, usage: ProcessUsage) => string | null
}

export const heapMib = ({ memoryMib }: PluginBudget): number => Math.max(16, Math.floor(memoryMib * 0.75))

export const memoryReason = ({ memoryMib }: PluginBudget): string =>
  `it used more memory than its budget of ${memoryMib} MiB.`

export const diskFullReason = ({ diskFreeMib }: PluginBudget, { disks }: DiskUsage): string | null => {
  const reserves = disks.map(({ totalBytes }) => Math.min(diskFreeMib, totalBytes / mib * reserveOfDisk))
  const full = disks.findIndex(({ freeBytes }, at) => freeBytes < reserves[at]! * mib)
  return full === -1 ? null : `a disk that it may write has less than ${Math.ceil(reserves[full]!)} MiB left.`
}

export const diskReason = ({ diskMib }: PluginBudget, { bytes, files }: DiskUsage): string | null => {
  const exceeds = (budget: string) =>
    `what is in its own folder, and what others that it may write have grown by, whoever wrote it, is over its budget of ${budget}.`
  if (bytes > diskMib * mib) return exceeds(`${diskMib} MiB`)
  return files > filesMax ? exceeds(`${filesMax} files`) : null
}

export const makeBudgetJudge = (budget: PluginBudget): BudgetJudge => {
  const messages = createTokenBucket({ burst: budget.messagesPerS * burstS, perS: budget.messagesPerS })
  const characters = createTokenBucket({ burst: charactersBurst, perS: charactersPerS })
  const cpuS = createTokenBucket({ burst: burstCpuS, perS: budget.cpuCores })
  let usedMs = 0
  let lastS: number | null = null
  let countsFromS = -Infinity
  return {
    messages: (timeS, length, count) => {
      if (!messages.take(timeS, count)) {
        return `it sent more messages than its budget of ${budget.messagesPerS} per second.`
      }
      return characters.take(timeS, length) ? null : `its messages exceeded ${charactersPerS / mib} MiB per second.`
    },
    usage: (timeS, { cpuMs, residentBytes }) => {
      if (residentBytes > budget.memoryMib * mib) return memoryReason(budget)
      const newMs = Math.max(0, cpuMs - usedMs)
      usedMs += newMs
      if (timeS - (lastS ?? timeS) > pauseS) countsFromS = timeS + afterPauseS
      lastS = timeS
      if (timeS < countsFromS) return null
      return cpuS.take(timeS, newMs / 1000)
        ? null
        : `it used more processor time than its budget of ${budget.cpuCores} cores.`
    },
  }
}
