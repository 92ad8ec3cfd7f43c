/**
 * The evidence integrator: turns momentary evidence of a body into presence with hysteresis and a hold.
 *
 * Evidence is counted in hops. A hop with a body adds 1 to 4, by how far the strongest link exceeds its threshold; a
 * hop without one subtracts 1. Motion that is not yet distinguished from that of a machine adds the same, up to a
 * total of 16. Presence begins at 20 and ends at 0; the maximum is 200. So the evidence of a burst of interference decays
 * within seconds, and a person who has walked is held for 20 s. Presence is certain while something moves like a body,
 * however weakly, and for 7 s after that. When presence ends without evidence that the person left, absence is
 * doubtful, for 2 minutes after full evidence: a person who has sat down may be sensed by no link. Meanwhile, a quarter
 * of the power of a body is evidence. After everybody has walked out of the room, presence ends with the motion, without
 * doubt. A silence ends it with doubt.
 */

/** Evidence at which presence begins, and its maximum. */
const enterHops = 20
const holdHopsMax = 200
/** Maximum evidence of a hop, and the excess in decades that adds 1 to it. */
const gainMax = 4
const excessPerGain = 1 / 3
/** Presence without motion like a body's is certain for this long: persons who are active seldom pause for longer. */
const certainHops = 70
/** Evidence of motion before it is known whether it is a body's: presence then needs a few hops with a body only. */
const possibleHopsMax = 16
/** Doubt after presence with the maximum of evidence; it falls with the square of the evidence. */
const doubtHopsMax = 1200
/** Excess in decades from which a body is evidence while absence is doubtful: a quarter of the power. */
const doubtfulExcess = -0.6
/** Where the calibrated static response is that of the occupied room, the hold is 30 times as long: 10 minutes. */
const occupiedDecay = 1 / 30

/** The evidence of one hop. */
interface HopEvidence {
  /** Excess of the strongest body over its threshold, in decades; below 0 without a body. */
  readonly excess: number
  /** The excess of motion that may be a body's or a machine's. */
  readonly possibleExcess: number
  /** Whether anything moves like a body, however weakly. */
  readonly moves: boolean
  /** Whether something indicates that a person who was present still is: a breath, or motion just below the threshold. */
  readonly stays: boolean
  /** Whether the static response is that of the occupied room. */
  readonly occupied: boolean
  /** Whether all located persons have walked out of the room. */
  readonly everyoneLeft: boolean
}

/** The state of an integrator, which another one continues from. */
export interface IntegratorMemory {
  readonly hops: number
  readonly peakHops: number
  readonly present: boolean
  readonly sinceHops: number
  readonly restHops: number
  readonly doubtHops: number
}

const gainOf = (excess: number): number => Math.min(gainMax, 1 + excess / excessPerGain)

export class EvidenceIntegrator {
  #hops = 0
  #peakHops = 0
  #present = false
  #sinceHops = Infinity
  /** Hops since the last motion like a body's, however weak. */
  #restHops = Infinity
  #doubtHops = 0

  get present(): boolean {
    return this.#present
  }

  /** Whether a person is present and moved, or was measured, shortly before. */
  get certain(): boolean {
    return this.#present && Math.min(this.#sinceHops, this.#restHops) < certainHops
  }

  /** Hops since the last evidence of a body. */
  get sinceHops(): number {
    return this.#sinceHops
  }

  /** Whether a person was present so recently that absence cannot be decided. */
  get doubtful(): boolean {
    return this.#doubtHops > 0
  }

  get memory(): IntegratorMemory {
    return {
      hops: this.#hops,
      peakHops: this.#peakHops,
      present: this.#present,
      sinceHops: this.#sinceHops,
      restHops: this.#restHops,
      doubtHops: this.#doubtHops,
    }
  }

  /** Continues from the state of another integrator. */
  recall({ doubtHops, hops, peakHops, present, restHops, sinceHops }: IntegratorMemory): void {
    this.#hops = hops
    this.#peakHops = peakHops
    this.#present = present
    this.#sinceHops = sinceHops
    this.#restHops = restHops
    this.#doubtHops = doubtHops
  }

  /** Ends presence without doubt. */
  #end(): void {
    this.#hops = 0
    this.#peakHops = 0
    this.#present = false
    this.#doubtHops = 0
  }

  /** Ends presence, and leaves a doubt by its evidence. */
  #endInDoubt(): void {
    const doubtHops = Math.round(doubtHopsMax * (this.#peakHops / holdHopsMax) ** 2)
    this.#hops = 0
    this.#peakHops = 0
    this.#present = false
    this.#doubtHops = Math.max(this.#doubtHops, doubtHops)
  }

  /** Forgets the evidence of before a silence: whoever was present may have left. */
  interrupt(): void {
    if (this.#present) this.#endInDoubt()
    this.#hops = 0
  }

  /** Takes the evidence of the next hop. */
  take({ everyoneLeft, excess, moves, occupied, possibleExcess, stays }: HopEvidence): void {
    this.#sinceHops++
    this.#restHops = moves ? 0 : this.#restHops + 1
    if (everyoneLeft && excess < 0 && possibleExcess < 0 && !stays) return this.#end()
    if (!this.#present) this.#doubtHops = Math.max(0, this.#doubtHops - 1)
    if (excess >= (this.#present || !this.doubtful ? 0 : doubtfulExcess)) {
      this.#hops = Math.min(holdHopsMax, this.#hops + gainOf(Math.max(0, excess)))
      this.#sinceHops = 0
    } else if (possibleExcess >= 0 && !this.#present) {
      this.#hops = Math.max(this.#hops, Math.min(possibleHopsMax, this.#hops + gainOf(possibleExcess)))
    } else if (this.#present && stays) this.#sinceHops = 0
    else this.#hops = Math.max(0, this.#hops - (occupied && this.#present ? occupiedDecay : 1))
    if (this.#hops >= enterHops) this.#present = true
    if (!this.#present) return
    this.#peakHops = Math.max(this.#peakHops, this.#hops)
    if (this.#hops <= 0) this.#endInDoubt()
  }
}
