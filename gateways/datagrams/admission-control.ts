/**
 * Admission control: the decision about each datagram, by its sender and the proof of that.
 *
 * Pure except for its own state; the time is a function. Boundary: the meaning of each standing is `protocols/domain/node-identity.ts`; only
 * the signature of a datagram is read here.
 *
 * Invariants:
 * 1. Every datagram is rejected until the first allowlist is read.
 * 2. A replay window moves only for a correct signature.
 * 3. At most `nodesMax` nodes are remembered.
 */
import { type Position, ReplayWindow } from "../../core/identity/replay-window.ts"
import { readSigned, type SignedDatagram } from "../../core/identity/signed-datagram.ts"
import {
  type DatagramRefusal,
  type IdentityPolicy,
  nodesMax,
  refusalOf,
  type RefusalReason,
} from "../../protocols/domain/node-identity.ts"
import type { KeyObservation, NodeAllowlist, NodeKey, NodeObservation } from "../../protocols/ports/node-identities.ts"
import { isSignedBy } from "./signature.ts"

/** The apparent sender of a datagram. */
export interface Sender {
  /** The name in the datagram; null where its format has none, or it is of another format. */
  readonly byItself: string | null
  /** The name by its address, where its format has none; else null. */
  readonly byAddress: string | null
}

/** A datagram that may be read. */
export interface Admitted {
  readonly datagram: Uint8Array
  /** The node that signed it; null for one without a signature. */
  readonly signedBy: string | null
}

/** An unchanged node is reported to the store this often while it sends. */
const seenEveryMs = 10_000

const rejection = (reason: RefusalReason, nodeId: string | null, message: string): DatagramRefusal => ({
  reason,
  nodeId,
  message,
})

/** A key, which outlives an update of the allowlist. */
interface KnownKey extends NodeKey {
  readonly window: ReplayWindow
  /** The position that the store has. */
  stored: Position | null
}

/** The keys of an allowlist, with the replay windows of those that were known before. */
const withWindows = (
  keys: NodeAllowlist["keys"],
  before: ReadonlyMap<number, KnownKey>,
): ReadonlyMap<number, KnownKey> =>
  new Map(keys.map((key) => {
    const window = before.get(key.keyNumber)?.window ?? new ReplayWindow()
    if (key.position !== null) window.raise(key.position)
    return [key.keyNumber, { ...key, window, stored: key.position }]
  }))

const isAhead = (position: Position | null, stored: Position | null): position is Position =>
  position !== null &&
  (stored === null || position.epoch > stored.epoch ||
    (position.epoch === stored.epoch && position.sequence > stored.sequence))

/** A node that has sent, and what the store has of it. */
interface SeenNode {
  atMs: number
  signed: boolean
  stored: { readonly atMs: number; readonly signed: boolean } | null
}

/** A node is stored at once when it is new, or begins or ceases to sign. */
const isDue = ({ atMs, signed, stored }: SeenNode): boolean =>
  stored === null || (signed !== stored.signed && atMs > stored.atMs) || atMs - stored.atMs >= seenEveryMs

/** Observations that the store does not have yet. */
interface Unstored {
  readonly nodes: ReadonlyArray<NodeObservation>
  readonly keys: ReadonlyArray<KeyObservation>
  /** Marks them as stored. */
  readonly markStored: () => void
}

export class AdmissionControl {
  readonly #policy: IdentityPolicy
  readonly #nowMs: () => number
  readonly #seen = new Map<string, SeenNode>()
  #allowlist: NodeAllowlist | null = null
  #keys: ReadonlyMap<number, KnownKey> = new Map()

  constructor(policy: IdentityPolicy, nowMs: () => number) {
    this.#policy = policy
    this.#nowMs = nowMs
  }

  /** Replaces the allowlist. */
  updateAllowlist(allowlist: NodeAllowlist): void {
    this.#allowlist = allowlist
    this.#keys = withWindows(allowlist.keys, this.#keys)
  }

  /** Admits a datagram, or returns why it is rejected. On the hot path. */
  admit(bytes: Uint8Array, senderOf: (datagram: Uint8Array) => Sender): Admitted | DatagramRefusal {
    const allowlist = this.#allowlist
    if (allowlist === null) {
      return rejection("identities_unavailable", null, "the nodes have not been read from the store yet")
    }
    const signed = readSigned(bytes)
    const datagram = signed === null ? bytes : signed.datagram
    const sender = senderOf(datagram)
    const signer = signed === null ? null : this.#signerOf(allowlist, signed, sender)
    if (signer !== null && "reason" in signer) return signer
    const nodeId = signer?.nodeId ?? sender.byItself ?? sender.byAddress
    // Not a datagram of this port: its decoder rejects it.
    if (nodeId === null) return { datagram, signedBy: null }
    const rejected = refusalOf(nodeId, allowlist.standings.get(nodeId) ?? "seen", this.#policy, signer !== null)
    // A datagram that is rejected because it has no signature must not mark its node as unsigned.
    if (rejected?.reason !== "unsigned") this.#see(nodeId, signer !== null)
    return rejected ?? { datagram, signedBy: signer?.nodeId ?? null }
  }

  /** The nodes and positions that have changed since they were stored. */
  unstored(): Unstored {
    const nodes = [...this.#seen].filter(([, node]) => isDue(node))
      .map(([nodeId, { atMs, signed }]) => ({ nodeId, atMs, signed }))
    const moved = Array.from(this.#keys.values(), (key) => ({ key, position: key.window.position }))
      .flatMap(({ key, position }) => isAhead(position, key.stored) ? [{ key, position }] : [])
    return {
      nodes,
      keys: moved.map(({ key: { keyNumber }, position }) => ({ keyNumber, ...position })),
      markStored: () => {
        for (const { key, position } of moved) key.stored = position
        for (const { nodeId, ...stored } of nodes) Object.assign(this.#seen.get(nodeId) ?? {}, { stored })
      },
    }
  }

  #see(nodeId: string, signed: boolean): void {
    let node = this.#seen.get(nodeId)
    if (node === undefined) {
      // The node that was remembered first is forgotten.
      if (this.#seen.size >= nodesMax) this.#seen.delete(this.#seen.keys().next().value!)
      node = { atMs: 0, signed, stored: null }
      this.#seen.set(nodeId, node)
    }
    node.atMs = this.#nowMs()
    node.signed = signed
  }

  /** The key that has signed this, and its node. */
  #signerOf(allowlist: NodeAllowlist, signed: SignedDatagram, { byItself }: Sender): KnownKey | DatagramRefusal {
    const key = this.#keys.get(signed.keyNumber)
    if (key === undefined) {
      return byItself !== null && allowlist.standings.get(byItself) === "revoked"
        ? rejection("revoked", byItself, `${byItself} was revoked; enrol it again to accept its datagrams`)
        : rejection("unknown_key", null, `there is no key ${signed.keyNumber}; enrol the node and give it its key`)
    }
    if (!isSignedBy(key.key, signed)) {
      return rejection("bad_signature", null, `the signature is not that of key ${signed.keyNumber} of ${key.nodeId}`)
    }
    if (byItself !== null && byItself !== key.nodeId) {
      return rejection("wrong_node", null, `it names ${byItself} as its sender, but ${key.nodeId} has signed it`)
    }
    return key.window.take(signed)
      ? key
      : rejection("replayed", key.nodeId, `${key.nodeId} has sent a datagram of this epoch and sequence, or later ones`)
  }
}
