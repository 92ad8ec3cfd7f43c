/**
 * Admission of datagrams: keeps the roll of nodes and keys that the listeners check with, and stores what they have seen.
 *
 * Boundary: the decision about a datagram is `admission-control.ts`.
 *
 * Invariants:
 * 1. The roll is at most a second old while the store answers. While it does not, the last roll is valid.
 * 2. The position of each key is stored every second; after a kill, datagrams of the last second could be accepted again.
 */
import { Cause, Clock, Context, Effect, Layer } from "effect"
import type { DatagramRefusal, IdentityPolicy } from "../../protocols/domain/node-identity.ts"
import { NodeRolls } from "../../protocols/ports/node-identities.ts"
import { AdmissionControl, type Admitted, type Sender } from "./admission-control.ts"

const syncEveryMs = 1_000

export class Admission extends Context.Service<Admission, {
  readonly policy: IdentityPolicy
  /** Admits a datagram, or returns why it is rejected. On the hot path. */
  readonly admit: (bytes: Uint8Array, senderOf: (datagram: Uint8Array) => Sender) => Admitted | DatagramRefusal
}>()("wavepose/gateways/Admission") {
  /** @param policy for nodes that are not enrolled */
  static readonly layer = (policy: IdentityPolicy): Layer.Layer<Admission, never, NodeRolls> =>
    Layer.effect(Admission, makeAdmission(policy))
}

const makeAdmission = Effect.fnUntraced(function* (policy: IdentityPolicy) {
  const rolls = yield* NodeRolls
  const clock = yield* Clock.Clock
  const control = new AdmissionControl(policy, () => clock.currentTimeMillisUnsafe())
  const read = Effect.map(rolls.current, (roll) => control.takeRoll(roll))
  const store = Effect.suspend(() => {
    const { keys, markStored, nodes } = control.unstored()
    return nodes.length === 0 && keys.length === 0 ? Effect.void : Effect.map(rolls.tell(nodes, keys), markStored)
  })
  const attempt = <E>(effect: Effect.Effect<void, E>) =>
    Effect.catchCause(effect, (cause) => Effect.logDebug(`roll of nodes not synchronised: ${Cause.pretty(cause)}`))
  yield* attempt(read)
  yield* Effect.addFinalizer(() => attempt(store))
  yield* Effect.forkScoped(Effect.forever(
    Effect.andThen(Effect.sleep(syncEveryMs), Effect.andThen(attempt(store), attempt(read))),
  ))
  return { policy, admit: (bytes, senderOf) => control.admit(bytes, senderOf) } satisfies Admission["Service"]
})
