/**
 * The environments, routers and sensing nodes that are enrolled, for reports that must not fail with the database.
 *
 * Invariant: while the database does not answer, a list is the one that this node has read last, with its time. Each is read every
 * `refreshMs`, so that there is one.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import type { NodeIdentity } from "../../../protocols/domain/node-identity.ts"
import type { Environment, RouterEnrolment } from "../../../protocols/domain/site.ts"
import { Directory } from "../../../protocols/ports/directory.ts"
import { NodeIdentities } from "../../../protocols/ports/node-identities.ts"

const refreshMs = 60_000
/** How long a list is waited for; a report waits for several parts, and Prometheus ten seconds for all. */
const readMsMax = 2_000

interface Listed<A> {
  readonly items: ReadonlyArray<A>
  /** When they were read; null: now. */
  readonly asOfMs: number | null
}
type List<A> = Effect.Effect<Listed<A>, StoreUnavailable>

export class Inventory extends Context.Service<Inventory, {
  readonly environments: List<Environment>
  readonly routers: List<RouterEnrolment>
  readonly identities: List<NodeIdentity>
}>()("wavepose/gateways/Inventory") {
  static readonly layer: Layer.Layer<Inventory, never, Directory | NodeIdentities> = Layer.effect(
    Inventory,
    Effect.suspend(() => make),
  )
}

/** A list that remembers its last answer. */
const remembered = <A>(read: Effect.Effect<ReadonlyArray<A>, StoreUnavailable>): List<A> => {
  let last: { readonly items: ReadonlyArray<A>; readonly asOfMs: number } | null = null
  return read.pipe(
    Effect.timeoutOrElse({
      duration: readMsMax,
      orElse: () => Effect.fail(StoreUnavailable.silentFor(readMsMax)),
    }),
    Effect.flatMap((items) =>
      Effect.map(Clock.currentTimeMillis, (asOfMs) => {
        last = { items, asOfMs }
        return { items, asOfMs: null }
      })
    ),
    Effect.catch((failure) => last === null ? Effect.fail(failure) : Effect.succeed(last)),
  )
}

const make = Effect.gen(function* () {
  const { environments, routers } = yield* Directory
  const identities = (yield* NodeIdentities).all
  const lists = {
    environments: remembered(environments),
    routers: remembered(routers),
    identities: remembered(identities),
  }
  const refresh = Effect.ignore(Effect.all(lists, { mode: "result" }))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(refresh, Effect.sleep(refreshMs))))
  return lists
})
