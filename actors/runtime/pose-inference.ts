/**
 * Pose inference of this node: one forward pass for the persons of all environments that wait for one.
 *
 * Owns the gathering of requests: while a pass runs, others wait, and the next pass takes all of one network. Boundary: the network is
 * `core/pose/network.ts`, which there are is `pose-models.ts`, the kernels are `kernels.ts`.
 *
 * Invariants: a request's outputs do not depend on who else is in its pass; at most `personsMax` persons, or one request, a pass; the
 * oldest request is in the next pass.
 */
import { Context, Deferred, Effect, Layer, Semaphore } from "effect"
import { joinInputs, splitOutputs } from "../../core/pose/batch.ts"
import { forward, type PoseInputs, type PoseNetwork, type PoseOutputs } from "../../core/pose/network.ts"
import { Kernels } from "./kernels.ts"

/** Persons of a pass. */
const personsMax = 64

interface Request {
  readonly network: PoseNetwork
  readonly inputs: PoseInputs
  readonly answer: Deferred.Deferred<PoseOutputs>
}

export class PoseInference extends Context.Service<PoseInference, {
  /** One moment of the persons of an environment. */
  readonly infer: (network: PoseNetwork, inputs: PoseInputs) => Effect.Effect<PoseOutputs>
}>()("wavepose/actors/PoseInference") {
  static readonly layer: Layer.Layer<PoseInference, never, Kernels> = Layer.effect(
    PoseInference,
    Effect.suspend(() => makePoseInference),
  )
}

const makePoseInference = Effect.gen(function* () {
  const kernels = yield* Kernels
  let waiting: Array<Request> = []

  /** Takes the requests of the next pass from those that wait. */
  const take = (): ReadonlyArray<Request> => {
    const taken: Array<Request> = []
    const left: Array<Request> = []
    let persons = 0
    for (const request of waiting) {
      const fits = persons + request.inputs.persons <= personsMax
      if (taken.length > 0 && (request.network !== taken[0]!.network || !fits)) {
        left.push(request)
        continue
      }
      taken.push(request)
      persons += request.inputs.persons
    }
    waiting = left
    return taken
  }

  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  const pass = oneAtATime(Effect.gen(function* () {
    const requests = take()
    const network = requests[0]?.network
    if (network === undefined) return
    const outputs = yield* kernels.compute(forward(network, joinInputs(requests.map(({ inputs }) => inputs))))
    const parts = splitOutputs(outputs, requests.map(({ inputs }) => inputs.persons))
    yield* Effect.forEach(requests, ({ answer }, i) => Deferred.succeed(answer, parts[i]!), { discard: true })
  }))

  const infer = Effect.fnUntraced(function* (network: PoseNetwork, inputs: PoseInputs) {
    const answer = yield* Deferred.make<PoseOutputs>()
    waiting.push({ network, inputs, answer })
    // Whoever comes first runs the pass; the others find it done.
    while (!(yield* Deferred.isDone(answer))) yield* pass
    return yield* Deferred.await(answer)
  }, Effect.uninterruptible)

  return { infer }
})
