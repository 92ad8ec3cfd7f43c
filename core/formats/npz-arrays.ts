/**
 * The arrays of a NumPy `.npz` archive, by their names.
 *
 * Boundary: `inflated.ts` has the bound of what the arrays unpack to, `zip.ts` reads the archive, `npy.ts` an array; `npz.ts` knows what the
 * arrays mean.
 */
import { arrayNames } from "./csi-arrays.ts"
import { UnpackBudget } from "./inflated.ts"
import { type NpyArray, readNpy } from "./npy.ts"
import type { Refusal } from "./record-stream.ts"
import { fileBytesMax } from "./whole-file.ts"
import { readZip, unpackEntry, type ZipEntry } from "./zip.ts"

/** Maximum number of listed names of a file without known arrays, and of letters of each. */
const namesMax = 8
const lettersMax = 32

const bad = (message: string): Refusal => ({ reason: "bad-field", message })

/** The arrays of one archive. */
export class NpzArrays {
  readonly #file: Uint8Array
  readonly #entries: ReadonlyArray<ZipEntry>
  readonly #budget = new UnpackBudget()

  private constructor(file: Uint8Array, entries: ReadonlyArray<ZipEntry>) {
    this.#file = file
    this.#entries = entries
  }

  static in(file: Uint8Array): NpzArrays | Refusal {
    const entries = readZip(file)
    return "reason" in entries ? entries : new NpzArrays(file, entries)
  }

  get names(): ReadonlyArray<string> {
    return this.#entries.map(({ name }) => name.replace(/\.npy$/, ""))
  }

  entry(name: string): ZipEntry | undefined {
    return this.#entries.find((entry) => entry.name === `${name}.npy`)
  }

  /** Reads an array. */
  read(name: string): NpyArray | Refusal {
    const entry = this.entry(name)
    if (entry === undefined) return bad(`the file has no array "${name}"`)
    const tooMuch = this.#budget.take(name, entry.bytes)
    if (tooMuch !== null) return tooMuch
    const bytes = unpackEntry(this.#file, entry, fileBytesMax)
    if ("reason" in bytes) return bytes
    const array = readNpy(bytes)
    return "reason" in array ? { ...array, message: `array "${name}": ${array.message}` } : array
  }

  /** Reads an array that a file may lack. */
  readOptional(name: string): NpyArray | Refusal | null {
    return this.entry(name) === undefined ? null : this.read(name)
  }

  /** A file whose arrays have other names. */
  foreign(): Refusal {
    const names = this.names.slice(0, namesMax).map((name) => name.replace(/[^\w.-]/g, "?").slice(0, lettersMax))
    const more = this.#entries.length > namesMax ? " and others" : ""
    return bad(
      `the file has no array "csi", only ${
        names.join(", ")
      }${more}. Supported are ${arrayNames}; or csi_data and duration_ms of ESPectre`,
    )
  }
}
