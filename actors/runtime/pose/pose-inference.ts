/**
 * Pose inference of this node: one forward pass for the persons of all environments that wait for one.
 *
 * Owns the batching of requests: while a pass runs, requests wait, and the next pass takes those of one network. When several environments
 * take part, a pass starts with the next turn of the event loop, so that hops that end together share it; a single environment does not
 * wait. Boundary: the network is `core/pose/network.ts`, the choice of networks `pose-models.ts`, the kernels `kernels.ts`.
 *
 * Invariants:
 * 1. The outputs of a request do not depend on the other requests of its pass.
 * 2. A pass has at most `batchSize` persons, or one request. The oldest request is in the next pass.
 * 3. A request waits at most `inferenceTimeoutS`; after that it is in no pass.
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
  timedOut: boolean
}

type PassSettings = Pick<NeuralNetworkSettings, "batchSize" | "enableGpu" | "inferenceTimeoutS">

interface InferenceState {
  readonly kernels: Kernels["Service"]
  /** Passes that hang continue in this scope. */
  readonly scope: Scope.Scope
  readonly passing: Semaphore.Semaphore
  settings: PassSettings
  /** Requests that are in no pass yet, oldest first. */
  waiting: ReadonlyArray<Request>
  /** Environments that take part. */
  environments: number
  /** The last request timed out, and this was logged. */
  late: boolean
}

/** Infers the poses of the persons of an environment at one time; null when the network did not answer in time. */
export type Infer = (network: PoseNetwork, inputs: PoseInputs) => Effect.Effect<PoseOutputs | null>

export class PoseInference extends Context.Service<PoseInference, {
  /** Registers an environment until the scope ends, and returns its function for requests. */
  readonly join: Effect.Effect<Infer, never, Scope.Scope>
  /** Sets the settings of all later passes: a node has one configuration. */
  readonly configure: (settings: PassSettings) => void
}>()("wavepose/actors/PoseInference") {
  static readonly layer: Layer.Layer<PoseInference, never, Kernels> = Layer.effect(
    PoseInference,
    Effect.suspend(() => makePoseInference),
  )
}

/** Takes the requests of the next pass from the queue. */
const takeRequests = (state: InferenceState): ReadonlyArray<Request> => {
  const taken: Array<Request> = []
  const left: Array<Request> = []
  let persons = 0
  for (const request of state.waiting) {
    const fits = persons + request.inputs.persons <= state.settings.batchSize
    if (taken.length > 0 && (request.network !== taken[0]!.network || !fits)) {
      left.push(request)
      continue
    }
    taken.push(request)
    persons += request.inputs.persons
  }
  state.waiting = left
  return taken
}

/** Runs one pass, after the one in progress. */
const runPass = (state: InferenceState): Effect.Effect<void> =>
  state.passing.withPermits(1)(Effect.gen(function* () {
    const requests = takeRequests(state)
    const network = requests[0]?.network
    if (network === undefined) return
    const outputs = yield* state.kernels.compute(
      forward(network, joinInputs(requests.map(({ inputs }) => inputs))),
      { gpu: state.settings.enableGpu },
    ).pipe(
      // A pass that breaks is the answer to all its requests: they are in no queue any more.
      Effect.onError((cause) => Effect.forEach(requests, ({ answer }) => Deferred.failCause(answer, cause))),
    )
    const parts = splitOutputs(outputs, requests.map(({ inputs }) => inputs.persons))
    yield* Effect.forEach(requests, ({ answer }, i) => Deferred.succeed(answer, parts[i]!), { discard: true })
  }))

/** Runs passes until the request has an answer. The first caller runs a pass; the others find it complete. */
const answerOf = Effect.fnUntraced(function* (state: InferenceState, request: Request) {
  while (!request.timedOut && !(yield* Deferred.isDone(request.answer))) yield* runPass(state)
  return request.timedOut ? null : yield* Deferred.await(request.answer)
})

/** Removes a request from the queue, and logs the first timeout after an answer. */
const timeOut = (state: InferenceState, request: Request): Effect.Effect<null> =>
  Effect.suspend(() => {
    request.timedOut = true
    state.waiting = state.waiting.filter((one) => one !== request)
    if (state.late) return Effect.succeed(null)
    state.late = true
    const { inferenceTimeoutS } = state.settings
    return Effect.as(Effect.logWarning("pose network did not answer in time", { timeoutS: inferenceTimeoutS }), null)
  })

const infer = Effect.fnUntraced(
  function* (state: InferenceState, network: PoseNetwork, inputs: PoseInputs) {
    const request: Request = { network, inputs, answer: yield* Deferred.make<PoseOutputs>(), timedOut: false }
    state.waiting = [...state.waiting, request]
    const answer = answerOf(state, request)
    const pass = yield* Effect.forkIn(answer, state.scope, { startImmediately: state.environments === 1 })
    const outputs = yield* pass.pollUnsafe() ?? Effect.interruptible(Fiber.join(pass)).pipe(
      Effect.timeoutOrElse({
        duration: state.settings.inferenceTimeoutS * 1_000,
        orElse: () => timeOut(state, request),
      }),
    )
    if (outputs !== null) state.late = false
    return outputs
  },
  Effect.uninterruptible,
)

const makePoseInference = Effect.gen(function* () {
  const state: InferenceState = {
    kernels: yield* Kernels,
    scope: yield* Effect.scope,
    passing: Semaphore.makeUnsafe(1),
    settings: defaultNeuralNetwork,
    waiting: [],
    environments: 0,
    late: false,
  }
  return {
    join: Effect.acquireRelease(
      Effect.sync((): Infer => {
        state.environments++
        return (network, inputs) => infer(state, network, inputs)
      }),
      () => Effect.sync(() => void state.environments--),
    ),
    configure: (settings) => void (state.settings = settings),
  } satisfies PoseInference["Service"]
})
