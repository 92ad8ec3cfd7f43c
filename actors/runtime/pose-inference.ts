/**
 * Pose inference of this node: one forward pass for the persons of all environments that wait for one.
 *
 * Owns the gathering of requests: while a pass runs, others wait, and the next pass takes all of them. Boundary: the network is
 * `core/pose/network.ts`, the kernels are `kernels.ts`.
 *
 * Invariants: a request's outputs do not depend on who else is in its pass; at most `personsMax` persons, or one request, a pass.
 */
import { Context, Deferred, Effect, Layer, Semaphore } from "effect"
import { joinInputs, splitOutputs } from "../../core/pose/batch.ts"
import { forward, type PoseInputs, type PoseNetwork, type PoseOutputs } from "../../core/pose/network.ts"
import { Kernels } from "./kernels.ts"

/** Persons of a pass. */
const personsMax = 64

interface Request {
  readonly inputs: PoseInputs
  readonly answer: Deferred.Deferred<PoseOutputs>
}

export class PoseInference extends Context.Service<PoseInference, {
  /** The network that is used; null where there are no weights. */
  readonly network: PoseNetwork | null
  /** One moment of the persons of an environment; `network` must not be null. */
  readonly infer: (inputs: PoseInputs) => Effect.Effect<PoseOutputs>
}>()("wavepose/actors/PoseInference") {
  static readonly layer = (network: PoseNetwork | null): Layer.Layer<PoseInference, never, Kernels> =>
    Layer.effect(PoseInference, makePoseInference(network))
}

const makePoseInference = Effect.fnUntraced(function* (network: PoseNetwork | null) {
  const kernels = yield* Kernels
  let waiting: Array<Request> = []

  /** Takes the requests of the next pass from those that wait. */
  const take = (): ReadonlyArray<Request> => {
    let persons = 0
    let count = 0
    while (count < waiting.length && (count === 0 || persons + waiting[count]!.inputs.persons <= personsMax)) {
      persons += waiting[count++]!.inputs.persons
    }
    const taken = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return taken
  }

  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  const pass = oneAtATime(Effect.gen(function* () {
    const requests = take()
    if (requests.length === 0 || network === null) return
    const outputs = yield* kernels.compute(forward(network, joinInputs(requests.map(({ inputs }) => inputs))))
    const parts = splitOutputs(outputs, requests.map(({ inputs }) => inputs.persons))
    yield* Effect.forEach(requests, ({ answer }, i) => Deferred.succeed(answer, parts[i]!), { discard: true })
  }))

  const infer = Effect.fnUntraced(function* (inputs: PoseInputs) {
    if (network === null) return yield* Effect.die(new Error("There are no weights of a pose network on this node."))
    const answer = yield* Deferred.make<PoseOutputs>()
    waiting.push({ inputs, answer })
    // Whoever comes first runs the pass; the others find it done.
    while (!(yield* Deferred.isDone(answer))) yield* pass
    return yield* Deferred.await(answer)
  }, Effect.uninterruptible)

  return { network, infer }
})
