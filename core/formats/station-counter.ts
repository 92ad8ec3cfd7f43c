/**
 * The station counter: one packet counter of a receiver, made of the sequence numbers that 802.11 stations give their packets.
 *
 * A station keeps several numberings (IEEE 802.11-2020, 10.3.2.14): one per receiver and traffic class for QoS data, one for all
 * else; captures do not always say which. So a number belongs to that numbering of its station that it goes on from most closely.
 * The counter goes on by what each of them goes on: its gaps are the packets that were sent and not measured, whoever sent them.
 * Packets without a number leave it where it is, and it stays 0 when all are so.
 */

/**
 * Numbers further ahead than this belong to another numbering, or come after a long silence: nothing is known of the packets
 * between. Twice what a station sends before it waits for a block acknowledgement.
 */
const gapMax = 128
/** A number this far behind is a packet out of order: within one block acknowledgement. */
const reorderMax = 64
const numbers = 4096
/** Traffic classes, and what is of none or of one that the capture does not say. */
const trafficClasses = 16
/** Numberings of a station and class that are kept. */
const numberingsMax = 17
/** Stations whose numbers are kept; a capture of noise must not cost memory without bound. */
const stationsMax = 1024

const control = 1
const data = 2

/** Whether frames with this first byte of the frame control field have a number that counts: not control, not null frames. */
export const isNumbered = (frameControl: number): boolean => {
  const type = (frameControl >> 2) & 3
  return type !== control && !(type === data && (frameControl & 0x40) !== 0)
}

export class StationCounter {
  /** By station and traffic class: the latest number of each numbering, the one used last at the end. */
  readonly #stations = new Map<string, Array<Array<number>>>()
  #count = 0

  /**
   * The counter at a packet, unsigned 32 bits.
   *
   * @param trafficClass of QoS data, 0 to 15; null when the packet has none or does not say
   * @param sequenceControl sequence control field: the number above four bits that count fragments; null when it has none
   */
  at(transmitterId: string, trafficClass: number | null, sequenceControl: number | null): number {
    if (sequenceControl === null) return this.#count
    const number = sequenceControl >> 4
    const latest = this.#classesOf(transmitterId)[trafficClass ?? trafficClasses]!
    let nearest = -1
    let ahead = gapMax + 1
    for (let i = 0; i < latest.length; i++) {
      const distance = (number - latest[i]! + numbers) % numbers
      if (distance < ahead) {
        nearest = i
        ahead = distance
      }
    }
    if (nearest < 0) {
      const behind = Math.min(...latest.map((before) => (before - number + numbers) % numbers))
      if (behind <= reorderMax) return Math.max(0, this.#count - behind)
      if (latest.length === numberingsMax) latest.shift()
      ahead = 1
    } else if (nearest < latest.length - 1) latest.splice(nearest, 1)
    else latest.pop()
    latest.push(number)
    this.#count = (this.#count + ahead) >>> 0
    return this.#count
  }

  #classesOf(transmitterId: string): Array<Array<number>> {
    const known = this.#stations.get(transmitterId)
    if (known !== undefined) return known
    if (this.#stations.size >= stationsMax) this.#stations.clear()
    const classes: Array<Array<number>> = Array.from({ length: trafficClasses + 1 }, () => [])
    this.#stations.set(transmitterId, classes)
    return classes
  }
}
