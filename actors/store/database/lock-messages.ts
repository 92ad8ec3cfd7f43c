/**
 * The interface between a node and its lock worker: calls of the runner storage as messages, and a board in shared memory.
 *
 * The board is read without waiting for a message, which would be late after the event loop was blocked.
 */
import type { RunnerStorage } from "effect/cluster"

export type LockOperation = keyof RunnerStorage.Encoded

export interface LockCall {
  readonly id: number
  readonly operation: LockOperation
  readonly args: ReadonlyArray<unknown>
}

/** The answer to a call, or why it failed. */
export interface LockAnswer {
  readonly id: number
  readonly value?: unknown
  readonly failure?: string
}

export interface LockWorkerData {
  readonly url: string
  /** Address at which peers reach the node: `host:port`. */
  readonly address: string
  readonly groups: ReadonlyArray<string>
  readonly shardsPerGroup: number
  readonly expirationMs: number
  readonly refreshMs: number
  readonly memory: SharedArrayBuffer
}

/** Maximum length of a session's name in PostgreSQL, bytes; it truncates longer names. */
const sessionNameBytesMax = 63
const sessionKind = "wavepose locks "

/** The name of the sessions of a node's lock worker, by which peers find them. */
export const lockSessionName = (address: string): string =>
  sessionKind + address.slice(sessionKind.length - sessionNameBytesMax)

type Shards = Pick<LockWorkerData, "groups" | "shardsPerGroup">

/** Counters before the flags of the shards. */
const counters = { beats: 0, renewals: 1, count: 2 } as const

export const boardBytes = ({ groups, shardsPerGroup }: Shards): number =>
  Int32Array.BYTES_PER_ELEMENT * (counters.count + groups.length * shardsPerGroup)

/** Counters and flags of which each has one writer. */
export class LockBoard {
  readonly #cells: Int32Array
  readonly #shards: Shards

  constructor(memory: SharedArrayBuffer, shards: Shards) {
    this.#cells = new Int32Array(memory)
    this.#shards = shards
  }

  /** How often the event loop of the node has run its beat. */
  get beats(): number {
    return Atomics.load(this.#cells, counters.beats)
  }

  /** How often the worker has renewed the locks. */
  get renewals(): number {
    return Atomics.load(this.#cells, counters.renewals)
  }

  beat(): void {
    Atomics.add(this.#cells, counters.beats, 1)
  }

  renewed(): void {
    Atomics.add(this.#cells, counters.renewals, 1)
  }

  /** Whether the lock of this shard was there at the last renewal, or was acquired since. */
  isHeld(shard: string): boolean {
    return Atomics.load(this.#cells, this.#cellOf(shard)) === 1
  }

  setHeld(shard: string, held: boolean): void {
    Atomics.store(this.#cells, this.#cellOf(shard), held ? 1 : 0)
  }

  /** @param shard `group:number`, numbers from 1 */
  #cellOf(shard: string): number {
    const end = shard.lastIndexOf(":")
    const group = this.#shards.groups.indexOf(shard.slice(0, end))
    return counters.count + group * this.#shards.shardsPerGroup + Number(shard.slice(end + 1)) - 1
  }
}
