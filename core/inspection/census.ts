/**
 * The census of a capture: the transmitters that were received and the layouts of their frames, with numbers of frames and strengths.
 *
 * A capture may mix stations, bandwidths and numbers of antennas. Every frame is counted; links and layouts beyond their bounds are
 * counted as one.
 */
import { type CsiBatch, type RadioLayout, sameLayout, valuesPerFrame } from "../formats/csi-batch.ts"

const linksMax = 65_536
const layoutsMax = 256

/** Frames of one transmitter. */
export interface LinkCount {
  readonly transmitterId: string
  readonly frames: number
}

export interface LayoutCount {
  readonly layout: RadioLayout
  readonly frames: number
  /** The transmitter with the most frames in this layout. */
  readonly busiest: LinkCount
}

/** Counts of one layout. */
interface Tally {
  readonly layout: RadioLayout
  frames: number
  readonly links: Map<string, number>
}

/** Increments the count of a name, unless the name is beyond the bound. */
const count = (counts: Map<string, number>, name: string): void => {
  const known = counts.get(name)
  if (known !== undefined || counts.size < linksMax) counts.set(name, (known ?? 0) + 1)
}

/** Counts the frames of a capture. */
export class Census {
  readonly #tallies: Array<Tally> = []
  readonly #transmitters = new Map<string, number>()
  #frames = 0
  #amplitudeSum = 0
  #amplitudes = 0

  add(batch: CsiBatch): void {
    this.#frames += batch.frameCount
    this.#addAmplitudes(batch)
    const tally = this.#tallyOf(batch.layout)
    for (let frame = 0; frame < batch.frameCount; frame++) {
      const transmitterId = batch.transmitterIds[batch.transmitterIndex[frame]!]!
      count(this.#transmitters, transmitterId)
      if (tally === null) continue
      tally.frames++
      count(tally.links, transmitterId)
    }
  }

  get frames(): number {
    return this.#frames
  }

  /** Transmitters that were received: links of this receiver. */
  get links(): number {
    return this.#transmitters.size
  }

  /** The links with the most frames over all layouts, so many at most. */
  busiest(most: number): ReadonlyArray<LinkCount> {
    return [...this.#transmitters].map(([transmitterId, frames]) => ({ transmitterId, frames }))
      .sort((a, b) => b.frames - a.frames).slice(0, most)
  }

  /** Mean of |H| over all frames, antennas and subcarriers, in the capture's raw units; null without a value. */
  get amplitudeMean(): number | null {
    return this.#amplitudes === 0 ? null : this.#amplitudeSum / this.#amplitudes
  }

  /** The layouts, the commonest first. */
  layouts(): ReadonlyArray<LayoutCount> {
    return this.#tallies.map(({ frames, layout, links }) => {
      const [transmitterId, most] = [...links].reduce((best, link) => link[1] > best[1] ? link : best)
      return { layout, frames, busiest: { transmitterId, frames: most } }
    }).sort((a, b) => b.frames - a.frames)
  }

  #tallyOf(layout: RadioLayout): Tally | null {
    const known = this.#tallies.find((tally) => sameLayout(tally.layout, layout))
    if (known !== undefined) return known
    if (this.#tallies.length === layoutsMax) return null
    const tally = { layout, frames: 0, links: new Map<string, number>() }
    this.#tallies.push(tally)
    return tally
  }

  #addAmplitudes({ csi, frameCount, layout }: CsiBatch): void {
    const values = frameCount * valuesPerFrame(layout)
    let sum = 0
    let count = 0
    for (let v = 0; v < 2 * values; v += 2) {
      const amplitude = Math.sqrt(csi[v]! * csi[v]! + csi[v + 1]! * csi[v + 1]!)
      // A file may contain NaN.
      if (!(amplitude < Infinity)) continue
      sum += amplitude
      count++
    }
    this.#amplitudeSum += sum
    this.#amplitudes += count
  }
}
