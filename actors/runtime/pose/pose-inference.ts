/**
 * Pose inference of this node: one forward pass for the persons of all environments that wait for one.
 *
 * Owns the gathering of requests: while a pass runs, others wait, and the next pass takes all of one network. Where several environments
 * take part, a pass begins with the next turn of the event loop, so that hops which end together share it; one that is alone has
 * nobody to wait for. Boundary: the network is `core/pose/network.ts`, which there are is `pose-models.ts`, the kernels are `kernels.ts`.
 *
 * Invariants: a request's outputs do not depend on who else is in its pass; at most `batchSize` persons, or one request, a pass; the
 * oldest request is in the next pass; a request waits `inferenceTimeoutS` at most, and what is given up is asked of nobody.
 */
import { Context, Deferred, Effect, Fiber, Layer, type Scope, Semaphore } from "effect"
import { joinInputs, splitOutputs } from "../../../core/pose/batch.ts"
import { forward, type PoseInputs, type PoseNetwork, type PoseOutputs } from "../../../core/pose/network.ts"
import { defaultNeuralNetwork, type NeuralNetworkSettings } from "../../../protocols/domain/configuration.ts"
import { Kernels } from "../kernels/kernels.ts"

interface Request {
  readonly network: PoseNetwork
  readonly inputs: PoseInputs
  readonly answer: Deferred.Deferred<PoseOutputs>
  /** Nobody waits for the answer any more. */
  givenUp: boolean
}

type PassSettings = Pick<NeuralNetworkSettings, "batchSize" | "enableGpu" | "inferenceTimeoutS">

/** One moment of the persons of an environment; null when the network did not answer in time. */
export type Infer = (network: PoseNetwork, inputs: PoseInputs) => Effect.Effect<PoseOutputs | null>

export class PoseInference extends Context.Service<PoseInference, {
  /** Takes part until the scope ends: an environment asks by what it is given. */
  readonly join: Effect.Effect<Infer, never, Scope.Scope>
  /** How passes run from the next one on, whoever asks: a node has one configuration. */
  readonly configure: (settings: PassSettings) => void
}>()("wavepose/actors/PoseInference") {
  static readonly layer: Layer.Layer<PoseInference, never, Kernels> = Layer.effect(
    PoseInference,
    Effect.suspend(() => makePoseInference),
  )
}

const makePoseInference = Effect.gen(function* () {
  const kernels = yield* Kernels
  const scope = yield* Effect.scope
  let settings: PassSettings = defaultNeuralNetwork
  let waiting: Array<Request> = []
  let environments = 0
  /** The last answer did not come in time. */
  let late = false

  /** Takes the requests of the next pass from those that wait. */
  const take = (): ReadonlyArray<Request> => {
    const taken: Array<Request> = []
    const left: Array<Request> = []
    let persons = 0
    for (const request of waiting) {
      const fits = persons + request.inputs.persons <= settings.batchSize
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
    const outputs = yield* kernels.compute(
      forward(network, joinInputs(requests.map(({ inputs }) => inputs))),
      { gpu: settings.enableGpu },
    )
    const parts = splitOutputs(outputs, requests.map(({ inputs }) => inputs.persons))
    yield* Effect.forEach(requests, ({ answer }, i) => Deferred.succeed(answer, parts[i]!), { discard: true })
  }))

  /** Whoever comes first runs the pass; the others find it done. */
  const answered = Effect.fnUntraced(function* (request: Request) {
    while (!request.givenUp && !(yield* Deferred.isDone(request.answer))) yield* pass
    return request.givenUp ? null : yield* Deferred.await(request.answer)
  })

  const giveUp = (request: Request) =>
    Effect.suspend(() => {
      request.givenUp = true
      waiting = waiting.filter((one) => one !== request)
      const said = late
        ? Effect.void
        : Effect.logWarning(`the pose network did not answer within ${settings.inferenceTimeoutS} s`)
      late = true
      return Effect.as(said, null)
    })

  const infer: Infer = Effect.fnUntraced(function* (network, inputs) {
    const request: Request = { network, inputs, answer: yield* Deferred.make<PoseOutputs>(), givenUp: false }
    waiting.push(request)
    // A pass that hangs is left to end by itself; who waits for it goes on.
    const pass = yield* Effect.forkIn(answered(request), scope, { startImmediately: environments === 1 })
    const outputs = yield* pass.pollUnsafe() ?? Effect.interruptible(Fiber.join(pass)).pipe(
      Effect.timeoutOrElse({ duration: settings.inferenceTimeoutS * 1_000, orElse: () => giveUp(request) }),
    )
    if (outputs !== null) late = false
    return outputs
  }, Effect.uninterruptible)

  return {
    join: Effect.acquireRelease(
      Effect.sync(() => {
        environments++
        return infer
      }),
      () => Effect.sync(() => void environments--),
    ),
    configure: (wanted) => void (settings = wanted),
  } satisfies PoseInference["Service"]
})
