/** MAC addresses, the names of stations. */

/** The name of an address in text, with or without separators; null for other texts. */
export const macNameOf = (text: string): string | null =>
  /^[0-9a-f]{2}(([:-])[0-9a-f]{2}(\2[0-9a-f]{2}){4}|[0-9a-f]{10})$/i.test(text)
    ? text.toLowerCase().replaceAll(/[:-]/g, "").replace(/..(?=.)/g, "$&:")
    : null

/** Maximum number of cached names, so that a capture of noise has bounded memory. */
const namesMax = 4096

/** Names of MAC addresses, `aa:bb:cc:dd:ee:ff`, with a cache. */
export class MacNames {
  readonly #names = new Map<number, string>()
  /** The last station, which is usually also the next one. */
  #lastKey = -1
  #lastName = ""

  /** The name of the address in the six bytes from `at`. */
  nameAt(bytes: Uint8Array, at: number): string {
    const upper = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!
    const lower = (bytes[at + 3]! << 16) | (bytes[at + 4]! << 8) | bytes[at + 5]!
    const key = upper * 0x1000000 + lower
    if (key !== this.#lastKey) {
      this.#lastName = this.#nameOf(key)
      this.#lastKey = key
    }
    return this.#lastName
  }

  #nameOf(key: number): string {
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = key.toString(16).padStart(12, "0").replace(/..(?=.)/g, "$&:")
    if (this.#names.size >= namesMax) this.#names.clear()
    this.#names.set(key, name)
    return name
  }
}
