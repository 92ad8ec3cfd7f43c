/**
 * Admission of datagrams: whether what came may be read, by who sent it and whether that is proven.
 *
 * Owns the roll of nodes and keys that listeners check with, a second old at most while the store answers, and the replay window of each
 * key. Boundary: what each standing means is `protocols/domain/node-identity.ts`; nothing of a datagram but its signature is read here.
 *
 * Invariants:
 * 1. Nothing is let in before the roll was read once. While the store does not answer, the last roll holds.
 * 2. A replay window moves for a right signature alone.
 * 3. How far each key has come is told to the store every second; after a kill, what was taken in the last one could be taken again.
 * 4. At most `nodesMax` nodes are remembered. A node is told of at once when it is new or begins or ceases to sign, else every
 *    `seenEveryMs`.
 */
import { Cause, Clock, Context, Effect, Layer } from "effect"
import { type Position, ReplayWindow } from "../../core/identity/replay-window.ts"
import { readSigned, type SignedDatagram } from "../../core/identity/signed-datagram.ts"
import {
  type DatagramRefusal,
  type IdentityPolicy,
  nodesMax,
  refusalOf,
  type RefusalReason,
} from "../../protocols/domain/node-identity.ts"
import { type NodeKey, type NodeRoll, NodeRolls } from "../../protocols/ports/node-identities.ts"
import { isSignedBy } from "./signature.ts"

/** Who a datagram seems to come from. */
export interface Sender {
  /** As the datagram names itself; null where its format has no place for that, or it is of another format. */
  readonly byItself: string | null
  /** As its address names it, where its format has no place for a name; else null. */
  readonly byAddress: string | null
}

/** A datagram that may be read. */
interface Admitted {
  readonly datagram: Uint8Array
  /** Who signed it; null for one without a signature. */
  readonly signedBy: string | null
}

const tellEveryMs = 1_000
const seenEveryMs = 10_000

export class Admission extends Context.Service<Admission, {
  readonly policy: IdentityPolicy
  /** Lets a datagram in, or says why not. On the hot path. */
  readonly admit: (bytes: Uint8Array, senderOf: (datagram: Uint8Array) => Sender) => Admitted | DatagramRefusal
}>()("wavepose/gateways/Admission") {
  /** @param policy what is done with nodes that nobody enrolled */
  static readonly layer = (policy: IdentityPolicy): Layer.Layer<Admission, never, NodeRolls> =>
    Layer.effect(Admission, makeAdmission(policy))
}

const refusal = (reason: RefusalReason, nodeId: string | null, message: string): DatagramRefusal => ({
  reason,
  nodeId,
  message,
})

/** What is known of one key, from one roll to the next. */
interface KnownKey extends NodeKey {
  readonly window: ReplayWindow
  /** The position that the store knows. */
  told: Position | null
}

/** The keys of a roll, with the windows of those that were known before. */
const withWindows = (keys: NodeRoll["keys"], before: ReadonlyMap<number, KnownKey>): ReadonlyMap<number, KnownKey> =>
  new Map(keys.map((key) => {
    const window = before.get(key.keyNumber)?.window ?? new ReplayWindow()
    if (key.position !== null) window.raise(key.position)
    return [key.keyNumber, { ...key, window, told: key.position }]
  }))

const isAhead = (position: Position | null, told: Position | null): position is Position =>
  position !== null &&
  (told === null || position.epoch > told.epoch || (position.epoch === told.epoch && position.sequence > told.sequence))

/** What was heard of a node, and what of it the store was told. */
interface Heard {
  atMs: number
  signed: boolean
  told: { readonly atMs: number; readonly signed: boolean } | null
}

const isToBeTold = ({ atMs, signed, told }: Heard): boolean =>
  told === null || (signed !== told.signed && atMs > told.atMs) || atMs - told.atMs >= seenEveryMs

/** The pure half: decides, and collects what is to be told. */
const makeDoorkeeper = (policy: IdentityPolicy, nowMs: () => number) => {
  let roll: NodeRoll | null = null
  let keys: ReadonlyMap<number, KnownKey> = new Map()
  const heard = new Map<string, Heard>()

  const hear = (nodeId: string, signed: boolean): void => {
    let node = heard.get(nodeId)
    if (node === undefined) {
      // The one remembered longest gives way.
      if (heard.size >= nodesMax) heard.delete(heard.keys().next().value!)
      node = { atMs: 0, signed, told: null }
      heard.set(nodeId, node)
    }
    node.atMs = nowMs()
    node.signed = signed
  }

  /** The key that has signed this, and its node. */
  const signerOf = (signed: SignedDatagram, { byItself }: Sender): KnownKey | DatagramRefusal => {
    const key = keys.get(signed.keyNumber)
    if (key === undefined) {
      return byItself !== null && roll!.standings.get(byItself) === "revoked"
        ? refusal("revoked", byItself, `${byItself} was revoked; enrol it anew to take what it sends`)
        : refusal("unknown_key", null, `there is no key ${signed.keyNumber}; enrol the node and give it its key`)
    }
    if (!isSignedBy(key.key, signed)) {
      return refusal("bad_signature", null, `the signature is not that of key ${signed.keyNumber} of ${key.nodeId}`)
    }
    if (byItself !== null && byItself !== key.nodeId) {
      return refusal("wrong_node", null, `it says that it is of ${byItself}, but ${key.nodeId} has signed it`)
    }
    return key.window.take(signed)
      ? key
      : refusal("replayed", key.nodeId, `${key.nodeId} has sent a datagram of this epoch and sequence, or later ones`)
  }

  const admit = (bytes: Uint8Array, senderOf: (datagram: Uint8Array) => Sender): Admitted | DatagramRefusal => {
    if (roll === null) {
      return refusal("identities_unavailable", null, "the store has not said yet which nodes there are")
    }
    const signed = readSigned(bytes)
    const datagram = signed === null ? bytes : signed.datagram
    const sender = senderOf(datagram)
    const signer = signed === null ? null : signerOf(signed, sender)
    if (signer !== null && "reason" in signer) return signer
    const nodeId = signer?.nodeId ?? sender.byItself ?? sender.byAddress
    // Not a datagram of this port: its reader says so.
    if (nodeId === null) return { datagram, signedBy: null }
    const refused = refusalOf(nodeId, roll.standings.get(nodeId) ?? "seen", policy, signer !== null)
    // What is refused for want of a signature must not make a node look unsigned.
    if (refused?.reason !== "unsigned") hear(nodeId, signer !== null)
    return refused ?? { datagram, signedBy: signer?.nodeId ?? null }
  }

  return {
    admit,
    take: (next: NodeRoll): void => {
      roll = next
      keys = withWindows(next.keys, keys)
    },
    /** What has not been told yet; `done` says that it is. */
    untold: () => {
      const nodes = [...heard].filter(([, node]) => isToBeTold(node))
        .map(([nodeId, { atMs, signed }]) => ({ nodeId, atMs, signed }))
      const moved = Array.from(keys.values(), (key) => ({ key, position: key.window.position }))
        .flatMap(({ key, position }) => isAhead(position, key.told) ? [{ key, position }] : [])
      return {
        nodes,
        keys: moved.map(({ key: { keyNumber }, position }) => ({ keyNumber, ...position })),
        done: (): void => {
          for (const { key, position } of moved) key.told = position
          for (const { nodeId, ...told } of nodes) Object.assign(heard.get(nodeId) ?? {}, { told })
        },
      }
    },
  }
}

const makeAdmission = Effect.fnUntraced(function* (policy: IdentityPolicy) {
  const rolls = yield* NodeRolls
  const clock = yield* Clock.Clock
  const doorkeeper = makeDoorkeeper(policy, () => clock.currentTimeMillisUnsafe())
  const read = Effect.map(rolls.current, doorkeeper.take)
  const tell = Effect.suspend(() => {
    const { done, keys, nodes } = doorkeeper.untold()
    if (nodes.length === 0 && keys.length === 0) return Effect.void
    return Effect.map(rolls.tell(nodes, keys), done)
  })
  const attempt = <E>(effect: Effect.Effect<void, E>) =>
    Effect.catchCause(effect, (cause) => Effect.logDebug("The roll of nodes stays as it is", Cause.pretty(cause)))
  yield* attempt(read)
  yield* Effect.addFinalizer(() => attempt(tell))
  yield* Effect.forkScoped(Effect.forever(
    Effect.andThen(Effect.sleep(tellEveryMs), Effect.andThen(attempt(tell), attempt(read))),
  ))
  return { policy, admit: doorkeeper.admit }
})
