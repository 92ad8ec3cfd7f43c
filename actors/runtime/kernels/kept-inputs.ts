/**
 * Inputs of kernels whose values never change, such as the weights of a network, in the memory of the WebAssembly module: they are copied once
 * and not for each call.
 *
 * Invariant: the memory is bounded. When it is full, all are forgotten and copied again as they are used.
 */
import { aligned } from "./wasm-layout.ts"
import { slackBytes } from "./wasm-module.ts"

export class KeptInputs {
  readonly #values: Float32Array
  readonly #from: number
  readonly #bytesMax: number
  #used = 0
  #addresses = new WeakMap<Float32Array, number>()

  /**
   * @param values the whole memory
   * @param from address of the part for these inputs, which has `bytesMax`
   */
  constructor(values: Float32Array, from: number, bytesMax: number) {
    this.#values = values
    this.#from = from
    this.#bytesMax = bytesMax
  }

  /** The addresses of a call's inputs; none if they do not fit together. */
  addressesOf(inputs: ReadonlyArray<Float32Array>): ReadonlyArray<number> {
    const bytesOf = (input: Float32Array) => aligned(input.byteLength + slackBytes)
    const added = inputs.filter((input) => !this.#addresses.has(input))
    const bytes = added.reduce((sum, input) => sum + bytesOf(input), 0)
    if (this.#used + bytes > this.#bytesMax) {
      if (inputs.reduce((sum, input) => sum + bytesOf(input), 0) > this.#bytesMax) return []
      this.#addresses = new WeakMap()
      this.#used = 0
      return this.addressesOf(inputs)
    }
    for (const input of added) {
      const at = this.#from + this.#used
      this.#values.set(input, at / 4)
      this.#addresses.set(input, at)
      this.#used += bytesOf(input)
    }
    return inputs.map((input) => this.#addresses.get(input)!)
  }
}
