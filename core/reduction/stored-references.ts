/**
 * The references of a router that no link uses now: those of transmitters that are silent, or that were restored, and calibrated ones of
 * other channels.
 *
 * Invariant: one reference for each transmitter and layout, and at most `storedMax`; the oldest running means make
 * room, then the oldest calibrations.
 */
import { type RadioLayout, sameLayout } from "../formats/csi-batch.ts"
import type { Reference } from "../signal/reference.ts"

/** Two channels of all links. */
const storedMax = 128

export class StoredReferences {
  #all: ReadonlyArray<Reference> = []

  /** Oldest first. */
  get all(): ReadonlyArray<Reference> {
    return this.#all
  }

  keep(reference: Reference): void {
    const { layout, transmitterId } = reference
    const all = [...this.#without(transmitterId, layout), reference]
    const oldest = all.findIndex(({ calibration }) => calibration === null)
    this.#all = all.length > storedMax ? all.toSpliced(Math.max(0, oldest), 1) : all
  }

  /** Gives the reference of a transmitter and layout to a link that uses it from now on; null without one. */
  take(transmitterId: string, layout: RadioLayout): Reference | null {
    const others = this.#without(transmitterId, layout)
    const found = this.#all.find((one) => !others.includes(one)) ?? null
    this.#all = others
    return found
  }

  #without(transmitterId: string, layout: RadioLayout): ReadonlyArray<Reference> {
    return this.#all.filter((one) => one.transmitterId !== transmitterId || !sameLayout(one.layout, layout))
  }
}
