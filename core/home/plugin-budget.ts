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
  /** What the disks that it may write must have left for others, MiB. */
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
/** Characters of messages from the plugin, per second and at once. */
const charactersPerS = 4 * 2 ** 20
const charactersBurst = 32 * 2 ** 20
/** Files and folders in the folders that it may write. */
export const filesMax = 2_000
const mib = 2 ** 20

/** What the process used since its start. */
export interface ProcessUsage {
  readonly cpuMs: number
  readonly residentBytes: number
}

export interface DiskUsage {
  readonly bytes: number
  readonly files: number
  /** What the fullest disk has left. */
  readonly freeBytes: number
}

/** Each returns the reason to end the process; null: within the budget. `timeS` is of the host's clock: the process cannot move it. */
interface BudgetJudge {
  readonly messages: (timeS: number, characters: number, messages: number) => string | null
  readonly usage: (timeS: number, usage: ProcessUsage) => string | null
}

export const heapMib = ({ memoryMib }: PluginBudget): number => Math.max(16, Math.floor(memoryMib * 0.75))

export const memoryReason = ({ memoryMib }: PluginBudget): string =>
  `it used more memory than its budget of ${memoryMib} MiB.`

export const diskFullReason = ({ diskFreeMib }: PluginBudget, { freeBytes }: DiskUsage): string | null =>
  freeBytes < diskFreeMib * mib ? `a disk that it may write has less than ${diskFreeMib} MiB left.` : null

export const diskReason = ({ diskMib }: PluginBudget, { bytes, files }: DiskUsage): string | null => {
  if (bytes > diskMib * mib) return `it wrote more to the disk than its budget of ${diskMib} MiB.`
  return files > filesMax ? `it wrote more files to the disk than its budget of ${filesMax}.` : null
}

export const makeBudgetJudge = (budget: PluginBudget): BudgetJudge => {
  const messages = createTokenBucket({ burst: budget.messagesPerS * burstS, perS: budget.messagesPerS })
  const characters = createTokenBucket({ burst: charactersBurst, perS: charactersPerS })
  const cpuS = createTokenBucket({ burst: burstCpuS, perS: budget.cpuCores })
  let usedMs = 0
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
      return cpuS.take(timeS, newMs / 1000)
        ? null
        : `it used more processor time than its budget of ${budget.cpuCores} cores.`
    },
  }
}
