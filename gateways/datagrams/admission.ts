/**
 * Admission of datagrams: keeps the allowlist of nodes and keys that the listeners check with, and reports what they have received.
 *
 * Boundary: the decision about a datagram is `admission-control.ts`.
 *
 * Invariants:
 * 1. The allowlist is at most a second old while the store answers. While it does not, the last allowlist is valid.
 * 2. The position of each key is stored every second; after a kill, datagrams of the last second could be accepted again.
 */
import { Cause, Clock, Context, Effect, Layer } from "effect"
import type { DatagramRefusal, IdentityPolicy } from "../../protocols/domain/node-identity.ts"
import { NodeAllowlists } from "../../protocols/ports/node-identities.ts"
import { AdmissionControl, type Admitted, type Sender } from "./admission-control.ts"

const syncEveryMs = 1_000

export class Admission extends Context.Service<Admission, {
  readonly policy: IdentityPolicy
  /** Admits a datagram, or returns why it is rejected. On the hot path. */
  readonly admit: (bytes: Uint8Array, senderOf: (datagram: Uint8Array) => Sender) => Admitted | DatagramRefusal
}>()("wavepose/gateways/Admission") {
  /** @param policy for nodes that are not enrolled */
  static readonly layer = (policy: IdentityPolicy): Layer.Layer<Admission, never, NodeAllowlists> =>
    Layer.effect(Admission, makeAdmission(policy))
}

const makeAdmission = Effect.fnUntraced(function* (policy: IdentityPolicy) {
  const allowlists = yield* NodeAllowlists
  const clock = yield* Clock.Clock
  const control = new AdmissionControl(policy, () => clock.currentTimeMillisUnsafe())
  const read = Effect.map(allowlists.current, (allowlist) => control.updateAllowlist(allowlist))
  const store = Effect.suspend(() => {
    const { keys, markStored, nodes } = control.unstored()
    return nodes.length === 0 && keys.length === 0
      ? Effect.void
      : Effect.map(allowlists.report(nodes, keys), markStored)
  })
  const attempt = <E>(effect: Effect.Effect<void, E>) =>
    Effect.catchCause(effect, (cause) => Effect.logDebug(`allowlist of nodes not synchronised: ${Cause.pretty(cause)}`))
  yield* attempt(read)
  yield* Effect.addFinalizer(() => attempt(store))
  yield* Effect.forkScoped(Effect.forever(
    Effect.andThen(Effect.sleep(syncEveryMs), Effect.andThen(attempt(store), attempt(read))),
  ))
  return { policy, admit: (bytes, senderOf) => control.admit(bytes, senderOf) } satisfies Admission["Service"]
})
