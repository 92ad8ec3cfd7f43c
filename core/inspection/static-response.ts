/**
 * The static response of one link over a capture, and each packet's response aligned to it.
 *
 * Owns the reference: the mean of the packets after alignment, which follows slowly. Aligned responses are handed out whole, not as
 * differences, so that they do not step where the reference does. Boundary: alignment and its sign are
 * `signal/alignment.ts`.
 */
import { type CsiBatch, sameLayout, valuesPerFrame } from "../formats/csi-batch.ts"
import { alignToReference } from "../signal/alignment.ts"
import { createHampelState, isPowerOutlier } from "../signal/hampel.ts"
import { createLayoutPlan, type LayoutPlan, readFrame } from "../signal/layout-plan.ts"
import { beginReference, followQuietHop, type Reference } from "../signal/reference.ts"
import type { ChosenLink } from "./time-columns.ts"

/** Number of packets whose mean updates the reference at a time. */
const meanPackets = 64

export class StaticResponse {
  readonly plan: LayoutPlan
  readonly #link: ChosenLink
  readonly #hampel = createHampelState()
  #reference: Reference | null = null
  readonly #sum: Float32Array
  #count = 0

  constructor(link: ChosenLink) {
    this.#link = link
    this.plan = createLayoutPlan(link.layout)
    this.#sum = new Float32Array(this.plan.response.length)
  }

  /** The static response: interleaved complex [rx][tx][tone] of the plan's layout, without its bulk delay; null before a packet. */
  get values(): Float32Array | null {
    return this.#reference?.response ?? null
  }

  /** Takes the link's packets in; `take` finds each one's aligned response in the plan's `response`. Outliers are left out. */
  add(batch: CsiBatch, take: (timestampUs: number) => void): void {
    if (!sameLayout(batch.layout, this.#link.layout)) return
    const length = 2 * valuesPerFrame(batch.layout)
    for (let frame = 0; frame < batch.frameCount; frame++) {
      if (batch.transmitterIds[batch.transmitterIndex[frame]!] !== this.#link.transmitterId) continue
      const power = readFrame(this.plan, batch.csi, frame * length)
      if (!(power > 0 && power < Infinity) || isPowerOutlier(this.#hampel, power)) continue
      if (this.#align()) take(batch.timestampsUs[frame]!)
    }
  }

  /** Takes the last packets into the mean. */
  finish(): void {
    if (this.#reference !== null) followQuietHop(this.#reference, this.#sum, this.#count, false)
    this.#sum.fill(0)
    this.#count = 0
  }

  /** Fills the plan's response; false when the frame has none. */
  #align(): boolean {
    const { alignment, frame, layout, response } = this.plan
    this.#reference ??= beginReference(this.#link.transmitterId, layout, alignment, frame)
    const reference = this.#reference
    if (reference === null || !alignToReference(alignment, frame, 0, reference.response, response, 0)) return false
    for (let v = 0; v < response.length; v++) {
      this.#sum[v]! += response[v]!
      response[v]! += reference.response[v]!
    }
    if (++this.#count === meanPackets) this.finish()
    return true
  }
}
