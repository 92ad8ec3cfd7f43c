/**
 * The limit of datagrams by sender, so that one that floods a port does not take the processor from the others.
 *
 * Boundary: it is checked before anything of a datagram is read. A sender is an address: a flood from forged addresses is a matter for the
 * network. Invariant: at most `sendersMax` senders are remembered; the one that has been silent longest is forgotten.
 */
import { createTokenBucket } from "../../core/activity/token-bucket.ts"

const sendersMax = 1_024
/** Senders that were limited and are reported. */
const reportedMax = 64

/** Datagrams of a sender that were dropped by the limit. */
interface LimitedSender {
  readonly address: string
  readonly datagrams: number
}

export class SenderLimit {
  readonly #perS: number | null
  readonly #buckets = new Map<string, ReturnType<typeof createTokenBucket>>()
  readonly #limited = new Map<string, number>()

  /** @param perS datagrams a second of one sender, with a burst of as many; null: no limit */
  constructor(perS: number | null) {
    this.#perS = perS
  }

  /** The senders that were limited, the latest last. */
  get limited(): ReadonlyArray<LimitedSender> {
    return Array.from(this.#limited, ([address, datagrams]) => ({ address, datagrams }))
  }

  /** Counts a datagram; false when it is one too many. */
  allows(address: string, nowMs: number): boolean {
    if (this.#perS === null) return true
    const bucket = this.#buckets.get(address) ?? createTokenBucket({ burst: this.#perS, perS: this.#perS })
    this.#buckets.delete(address)
    if (this.#buckets.size >= sendersMax) this.#buckets.delete(this.#buckets.keys().next().value!)
    this.#buckets.set(address, bucket)
    if (bucket.take(nowMs / 1000)) return true
    const before = this.#limited.get(address) ?? 0
    this.#limited.delete(address)
    if (this.#limited.size >= reportedMax) this.#limited.delete(this.#limited.keys().next().value!)
    this.#limited.set(address, before + 1)
    return false
  }
}
