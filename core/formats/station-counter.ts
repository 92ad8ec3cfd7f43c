/**
 * The station counter: one packet counter of a receiver, from the sequence numbers that 802.11 stations give their packets.
 *
 * A station has several numberings (IEEE 802.11-2020, 10.3.2.14): one per receiver and traffic class for QoS data, and one for all
 * other packets. Captures do not always name it, so a number belongs to the numbering of its station that it continues most closely.
 * The counter advances with each of them: its gaps are the packets of all stations that were sent and not measured.
 * Packets without a number do not advance it, so it stays 0 if all are so.
 */
import { isControl, isData } from "./frame-control.ts"

/**
 * A number further ahead belongs to another numbering, or follows a long silence, so the number of packets between is
 * unknown. Twice the packets that a station sends before it waits for a block acknowledgement.
 */
const gapMax = 128
/** A number at most this far behind is a packet out of order, within one block acknowledgement. */
export const reorderMax = 64
const numbers = 4096
/** Number of traffic classes, and the class of packets without a known one. */
const trafficClasses = 16
/** Maximum number of numberings per station and class. */
const numberingsMax = 17
/** Maximum number of stations, so that a capture of noise has bounded memory. */
const stationsMax = 1024

/** Whether frames with this first byte of the frame control field have a usable number: not control and not null frames. */
export const isNumbered = (frameControl: number): boolean =>
  !isControl(frameControl) && !(isData(frameControl) && (frameControl & 0x40) !== 0)

export class StationCounter {
  /** By station and traffic class: the latest number of each numbering, the last used one at the end. */
  readonly #stations = new Map<string, Array<Array<number>>>()
  #count = 0

  /**
   * The counter at a packet, unsigned 32 bits.
   *
   * @param trafficClass of QoS data, 0 to 15; null if unknown or none
   * @param sequenceControl sequence control field: the number above four bits that count fragments; null if none
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
