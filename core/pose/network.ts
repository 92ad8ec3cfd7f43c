/**
 * The pose network: maps the tokens of the links and the tracker's state, hop by hop, to a body's keypoints.
 *
 * Owns the architecture and its forward pass, whose layers are kernels. Tokens pass through a shared perceptron,
 * receive the mean of their set, and are pooled by attention (any number of links). A gated recurrent unit (Cho et al.
 * 2014, in PyTorch's form) keeps the body's history; another follows the gait by the velocities that links agree on
 * (`velocity-agreement.ts`). Boundary: tokens are in `link-token.ts`; training is `sim/training`, which mirrors this
 * file.
 *
 * Invariants: a person's outputs depend on its own inputs and memory only, not on the rest of the batch; the order of
 * the tokens does not matter.
 */
import { sigmoid } from "../kernels/activation.ts"
import { attentionPool } from "../kernels/attention-pool.ts"
import { dense } from "../kernels/dense.ts"
import { type Computation, placed, type PlacedCall } from "../kernels/kernel.ts"
import { keypointNames } from "./skeleton.ts"
import { activityStates } from "../activity/sample.ts"
import { evidenceParts, type Rests } from "./evidence.ts"
import { tokenSize } from "./link-token.ts"
import { agreementSize, velocityAgreement } from "./velocity-agreement.ts"
import { grownTensorOf, tensorOf, type Weights } from "./weights.ts"

/** The tracker's values of a person beside the tokens (`person-input.ts`). */
export const trackSize = 10
/** The last of them, which weights before wavepose-9 do not use: how far the frame has turned; and the layers that they enter. */
const turnSize = 2
const turned: ReadonlySet<string> = new Set(["body", "gait"])

const tokenWidth = 128
const heads = 4
const queries = 4
const bodyWidth = 192
const gaitWidth = 96
/** Values of a person's memory: first the body's, then the gait's. */
export const memorySize = bodyWidth + gaitWidth

const joints = keypointNames.length
/**
 * Outputs: keypoints (x, y, z in the person's frame), logarithms of their sigmas in the room, logits of their visibility
 * and of the activities; then logarithms of their sigmas relative to the pelvis, and logits of the parts' evidence, which
 * are zeros for weights that state none.
 */
export const outputLayout = {
  keypoints: 0,
  logSigmas: 3 * joints,
  visibility: 4 * joints,
  activities: 5 * joints,
  relativeLogSigmas: 5 * joints + activityStates.length,
  evidence: 6 * joints + activityStates.length,
  size: 6 * joints + activityStates.length + evidenceParts.length,
} as const
/** The outputs that all weights give. */
const headOutputs = outputLayout.relativeLogSigmas

interface Layer {
  readonly inputs: number
  readonly outputs: number
  readonly weight: Float32Array
  readonly bias: Float32Array
  readonly activation: number
}

const none = 0
const gelu = 2

/** A network with its weights. */
export interface PoseNetwork {
  /** Version of the weights, as reported in frames. */
  readonly modelVersion: string
  /** Whether the weights were trained with the links' geometry; without it, directions and distances are zeros. */
  readonly usesGeometry: boolean
  readonly layers: Readonly<Record<typeof layerNames[number], Layer>>
  /** Postures at rest; null if the weights state no evidence. */
  readonly rests: Rests | null
  readonly queries: Float32Array
}

const layerNames = [
  "token.0",
  "token.1",
  "exchange",
  "keys",
  "values",
  "body",
  "memory.input",
  "memory.hidden",
  "gait",
  "stride.input",
  "stride.hidden",
  "head.0",
  "head.1",
] as const

const shapes: Readonly<
  Record<typeof layerNames[number], readonly [inputs: number, outputs: number, activation: number]>
> = {
  "token.0": [tokenSize, tokenWidth, gelu],
  "token.1": [tokenWidth, tokenWidth, gelu],
  exchange: [2 * tokenWidth, tokenWidth, gelu],
  keys: [tokenWidth, tokenWidth, none],
  values: [tokenWidth, tokenWidth, none],
  body: [queries * tokenWidth + trackSize, bodyWidth, gelu],
  "memory.input": [bodyWidth, 3 * bodyWidth, none],
  "memory.hidden": [bodyWidth, 3 * bodyWidth, none],
  gait: [agreementSize + trackSize, gaitWidth, gelu],
  "stride.input": [gaitWidth, 3 * gaitWidth, none],
  "stride.hidden": [gaitWidth, 3 * gaitWidth, none],
  "head.0": [bodyWidth + memorySize, bodyWidth, gelu],
  "head.1": [bodyWidth, headOutputs, none],
}

/** Every array that a weights file must have, with its shape. */
export const networkShapes: Readonly<Record<string, ReadonlyArray<number>>> = {
  queries: [queries, heads, tokenWidth / heads],
  ...Object.fromEntries(
    layerNames.flatMap((name) => {
      const [inputs, outputs] = shapes[name]
      return [[`${name}.weight`, [outputs, inputs]], [`${name}.bias`, [outputs]]]
    }),
  ),
}

/** Arrays that a file has as well if its network states the evidence of its keypoints. */
export const evidenceShapes = {
  "evidence.weight": [outputLayout.size - headOutputs, bodyWidth],
  "evidence.bias": [outputLayout.size - headOutputs],
  rest: [activityStates.length, joints, 3],
} as const

const joined = (a: Float32Array, b: Float32Array): Float32Array => Float32Array.from([...a, ...b])

/** The last layer with the rows of the evidence: those of the weights, or zeros. */
const withEvidence = (head: Layer, weights: Weights): Layer => {
  const array = (name: "evidence.weight" | "evidence.bias"): Float32Array =>
    weights.tensors.has(name)
      ? tensorOf(weights, name, evidenceShapes[name])
      : new Float32Array(evidenceShapes[name].reduce((product, size) => product * size, 1))
  return {
    ...head,
    outputs: outputLayout.size,
    weight: joined(head.weight, array("evidence.weight")),
    bias: joined(head.bias, array("evidence.bias")),
  }
}

/** The network of a file's weights. Throws `BadWeights` that names a missing array or a wrong shape. */
export const createPoseNetwork = (weights: Weights): PoseNetwork => {
  const array = (name: string): Float32Array => tensorOf(weights, name, networkShapes[name]!)
  const layer = (name: typeof layerNames[number]): Layer => {
    const [inputs, outputs, activation] = shapes[name]
    const weight = grownTensorOf(weights, `${name}.weight`, [outputs, inputs], turned.has(name) ? turnSize : 0)
    return { inputs, outputs, activation, weight, bias: array(`${name}.bias`) }
  }
  const layers = Object.fromEntries(layerNames.map((name) => [name, layer(name)])) as PoseNetwork["layers"]
  return {
    modelVersion: weights.metadata["model_version"] ?? "unnamed",
    usesGeometry: weights.metadata["geometry"] !== "false",
    layers: { ...layers, "head.1": withEvidence(layers["head.1"], weights) },
    rests: weights.tensors.has("rest") ? tensorOf(weights, "rest", evidenceShapes.rest) : null,
    queries: array("queries"),
  }
}

/** Persons at one time step. */
export interface PoseInputs {
  readonly persons: number
  /** Maximum number of tokens per person. */
  readonly tokensEach: number
  /** [person][token][tokenSize] */
  readonly tokens: Float32Array
  /** [person][token]: 1 where there is a token, 0 elsewhere. */
  readonly mask: Float32Array
  /** [person][trackSize] */
  readonly tracks: Float32Array
  /** [person][memorySize]; zeros for a new person. */
  readonly memory: Float32Array
}

export interface PoseOutputs {
  /** [person][outputLayout.size] */
  readonly values: Float32Array
  /** [person][memorySize], for the next time step. */
  readonly memory: Float32Array
}

const applied = ({ activation, bias, inputs, outputs, weight }: Layer, batch: number, x: Float32Array): PlacedCall =>
  placed({ kernel: dense, params: { batch, inputs, outputs, activation }, inputs: [x, weight, bias], fixed: [1, 2] })

/** Each token beside the mean of its person's tokens. */
const besideMean = ({ mask, persons, tokensEach }: PoseInputs, z: Float32Array): Float32Array => {
  const out = new Float32Array(2 * z.length)
  const mean = new Float32Array(tokenWidth)
  for (let person = 0; person < persons; person++) {
    mean.fill(0)
    let present = 0
    for (let token = 0; token < tokensEach; token++) {
      const row = person * tokensEach + token
      if (mask[row] === 0) continue
      present++
      for (let i = 0; i < tokenWidth; i++) mean[i]! += z[row * tokenWidth + i]!
    }
    for (let i = 0; i < tokenWidth; i++) mean[i]! /= Math.max(1, present)
    for (let token = 0; token < tokensEach; token++) {
      const row = person * tokensEach + token
      out.set(z.subarray(row * tokenWidth, (row + 1) * tokenWidth), 2 * row * tokenWidth)
      out.set(mean, (2 * row + 1) * tokenWidth)
    }
  }
  return out
}

/** Rows of arrays beside each other. */
const beside = (rows: number, ...arrays: ReadonlyArray<Float32Array>): Float32Array => {
  const width = arrays.reduce((sum, { length }) => sum + length, 0) / rows
  const out = new Float32Array(rows * width)
  let at = 0
  for (const array of arrays) {
    const each = array.length / rows
    for (let row = 0; row < rows; row++) out.set(array.subarray(row * each, (row + 1) * each), row * width + at)
    at += each
  }
  return out
}

/** Columns `from` to `to` of rows. */
const columns = (rows: number, array: Float32Array, from: number, to: number): Float32Array => {
  const width = array.length / rows
  const out = new Float32Array(rows * (to - from))
  for (let row = 0; row < rows; row++) out.set(array.subarray(row * width + from, row * width + to), row * (to - from))
  return out
}

/** A step of a gated unit from its two layers' outputs: r, z, n gates; h' = (1 - z) n + z h. */
const remember = (input: Float32Array, hidden: Float32Array, persons: number, memory: Float32Array): Float32Array => {
  const size = memory.length / persons
  const out = new Float32Array(memory.length)
  for (let person = 0; person < persons; person++) {
    const gate = 3 * person * size
    for (let i = 0; i < size; i++) {
      const reset = sigmoid(input[gate + i]! + hidden[gate + i]!)
      const keep = sigmoid(input[gate + size + i]! + hidden[gate + size + i]!)
      const fresh = Math.tanh(input[gate + 2 * size + i]! + reset * hidden[gate + 2 * size + i]!)
      out[person * size + i] = (1 - keep) * fresh + keep * memory[person * size + i]!
    }
  }
  return out
}

/** The pooled tokens of each person, [person][queries tokenWidth], for any number of links; `z` are the embedded tokens. */
const pool = function* (network: PoseNetwork, inputs: PoseInputs, z: Float32Array): Computation<Float32Array> {
  const { layers } = network
  const { mask, persons, tokensEach } = inputs
  const rows = persons * tokensEach
  const exchange = applied(layers.exchange, rows, besideMean(inputs, z))
  yield [exchange]
  const exchanged = exchange.output
  for (let i = 0; i < z.length; i++) exchanged[i]! += z[i]!
  const keys = applied(layers.keys, rows, exchanged)
  const values = applied(layers.values, rows, exchanged)
  const pooled = placed({
    kernel: attentionPool,
    params: { batch: persons, queries, tokens: tokensEach, heads, width: tokenWidth / heads },
    inputs: [network.queries, keys.output, values.output, mask],
    fixed: [0],
  })
  yield [keys, values, pooled]
  return pooled.output
}

/** One time step of all persons of a batch. Layers that do not wait for each other share a step. */
export const forward = function* (network: PoseNetwork, inputs: PoseInputs): Computation<PoseOutputs> {
  const { layers } = network
  const { memory, persons, tokens, tokensEach, tracks } = inputs
  const rows = persons * tokensEach
  const did = columns(persons, memory, 0, bodyWidth)
  const strode = columns(persons, memory, bodyWidth, memorySize)
  const embedded = applied(layers["token.0"], rows, tokens)
  const z = applied(layers["token.1"], rows, embedded.output)
  const gait = applied(layers.gait, persons, beside(persons, velocityAgreement(inputs), tracks))
  const strideInput = applied(layers["stride.input"], persons, gait.output)
  const strideHidden = applied(layers["stride.hidden"], persons, strode)
  const memoryHidden = applied(layers["memory.hidden"], persons, did)
  yield [embedded, z, gait, strideInput, strideHidden, memoryHidden]
  const stride = remember(strideInput.output, strideHidden.output, persons, strode)

  const pooled = yield* pool(network, inputs, z.output)
  const body = applied(layers.body, persons, beside(persons, pooled, tracks))
  const memoryInput = applied(layers["memory.input"], persons, body.output)
  yield [body, memoryInput]
  const remembered = remember(memoryInput.output, memoryHidden.output, persons, did)

  const head = applied(layers["head.0"], persons, beside(persons, body.output, remembered, stride))
  const out = applied(layers["head.1"], persons, head.output)
  yield [head, out]
  return { values: out.output, memory: beside(persons, remembered, stride) }
}
