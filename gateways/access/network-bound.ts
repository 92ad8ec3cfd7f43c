/**
 * Bounds how many things of unknown clients are open at once, and how many of them are of one network, so that no network alone keeps others out.
 * A trusted proxy stands for many clients and is exempt from the share.
 */
import { clientNetwork, type TrustedProxies } from "./client-address.ts"

const networkShare = 0.25

export class NetworkBound {
  readonly #max: number
  readonly #networkMax: number
  readonly #isTrusted: TrustedProxies
  readonly #networks = new Map<string, number>()
  #all = 0

  /** @param isTrusted whether an address is that of a proxy, which stands for many clients */
  constructor(max: number, isTrusted: TrustedProxies) {
    this.#max = max
    this.#networkMax = Math.max(1, Math.floor(networkShare * max))
    this.#isTrusted = isTrusted
  }

  /** The network that an address counts for; null: that of a trusted proxy. */
  networkOf(address: string): string | null {
    return this.#isTrusted(address) ? null : clientNetwork(address)
  }

  /** The limit that one more of this network would exceed; null: it may enter. */
  exceeded(network: string | null): number | null {
    if (this.#all >= this.#max) return this.#max
    return network !== null && (this.#networks.get(network) ?? 0) >= this.#networkMax ? this.#networkMax : null
  }

  enter(network: string | null): void {
    this.#add(network, 1)
  }

  leave(network: string | null): void {
    this.#add(network, -1)
  }

  #add(network: string | null, difference: 1 | -1): void {
    this.#all += difference
    if (network === null) return
    const count = (this.#networks.get(network) ?? 0) + difference
    if (count === 0) this.#networks.delete(network)
    else this.#networks.set(network, count)
  }
}
