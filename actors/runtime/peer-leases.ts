/**
 * Whether a peer renews its locks. This distinguishes a busy node from one that is frozen, has ended or has lost the database.
 *
 * Each node renews every second from a separate thread (`actors/store/database/lock-keeper.ts`), so a node whose event loop is blocked does
 * not answer pings but still renews. One that is cut off from the database answers but does not renew.
 *
 * Invariants: only observed renewals count. A node that cannot read them, or did not for a while, does not count its peers as failed. No
 * clocks are compared.
 */
import { Context, Effect } from "effect"
import type { RunnerAddress } from "effect/cluster"
import { monotonicMs } from "./monotonic.ts"

/** Number of looks without a new renewal after which a peer has lapsed, because it has missed as many renewals; and their minimum distance. */
const looksMax = 4
const lookMsMin = 900
/** Nodes that are looked at; of more, the one known for the longest time is forgotten and counts as renewing for a while. */
const nodesMax = 4_096

interface Seen {
  readonly renewal: string
  readonly looks: number
  readonly atMs: number
}

/** The state after another look at the renewals of a node; null without a known renewal. Pure. */
const seenNext = (before: Seen | null, renewal: string | null, nowMs: number): Seen | null => {
  if (renewal === null) return null
  if (before?.renewal !== renewal) return { renewal, looks: 0, atMs: nowMs }
  return nowMs - before.atMs < lookMsMin ? before : { renewal, looks: before.looks + 1, atMs: nowMs }
}

interface LeaseReader {
  /** A text that each renewal of the node changes; null when it is not registered, or this cannot be read. */
  readonly renewalOf: (address: RunnerAddress.RunnerAddress) => Effect.Effect<string | null>
  /** Whether the session that holds its locks is there; false when it is not, or this is not known. */
  readonly isConnected: (address: RunnerAddress.RunnerAddress) => Effect.Effect<boolean>
  /** Ends the session that holds the locks of a node which does not renew, so that others can take them at once. */
  readonly end: (address: RunnerAddress.RunnerAddress) => Effect.Effect<unknown>
}

export class PeerLeases extends Context.Service<PeerLeases, {
  /** Looks at the node; true when it has not renewed for several looks. Never fails. */
  readonly hasLapsed: (address: RunnerAddress.RunnerAddress) => Effect.Effect<boolean>
  readonly isConnected: LeaseReader["isConnected"]
  readonly end: LeaseReader["end"]
}>()("wavepose/actors/PeerLeases") {
  static readonly make = ({ end, isConnected, renewalOf }: LeaseReader): PeerLeases["Service"] => {
    const seen = new Map<string, Seen>()
    return PeerLeases.of({
      isConnected,
      end,
      hasLapsed: Effect.fnUntraced(function* (address) {
        const renewal = yield* renewalOf(address)
        const nowMs = yield* monotonicMs
        const next = seenNext(seen.get(String(address)) ?? null, renewal, nowMs)
        if (next === null) seen.delete(String(address))
        else seen.set(String(address), next)
        if (seen.size > nodesMax) seen.delete(seen.keys().next().value!)
        return next !== null && next.looks >= looksMax
      }),
    })
  }
}
