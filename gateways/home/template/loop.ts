/**
 * The value `loop` inside a loop.
 */
import { isEqual, PyFunction, PyObject, type Value } from "./values.ts"

class LoopValue extends PyObject {
  readonly typeName = "LoopContext"
  readonly #values: ReadonlyArray<Value>
  readonly #at: number
  constructor(values: ReadonlyArray<Value>, at: number) {
    super()
    this.#values = values
    this.#at = at
  }
  text() {
    return `<LoopContext ${this.#at + 1}/${this.#values.length}>`
  }
  override attribute(name: string): Value | undefined {
    const [at, { length }] = [this.#at, this.#values]
    switch (name) {
      case "index":
        return BigInt(at + 1)
      case "index0":
        return BigInt(at)
      case "revindex":
        return BigInt(length - at)
      case "revindex0":
        return BigInt(length - at - 1)
      case "first":
        return at === 0
      case "last":
        return at === length - 1
      case "length":
        return BigInt(length)
      case "depth":
        return 1n
      case "depth0":
        return 0n
      case "previtem":
        return this.#values[at - 1]
      case "nextitem":
        return this.#values[at + 1]
      case "cycle":
        return new PyFunction(name, (args) => args[at % args.length] ?? null)
      case "changed":
        return new PyFunction(name, ([value = null]) => at === 0 || !isEqual(value, this.#values[at - 1]!))
      default:
        return undefined
    }
  }
}

/** The value of `loop` at an index of the values. */
export const loopValue = (values: ReadonlyArray<Value>, at: number): Value => new LoopValue(values, at)
