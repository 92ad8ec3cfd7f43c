/**
 * The transmission kind of a packet: which of its antennas and precodings a station uses.
 *
 * An access point sends beacons, other management packets and data without a traffic class in one way, QoS data in another, and
 * acknowledgements in a third. Their channels differ like those of different rooms (in captures of 80 MHz by up to the mean power itself), so
 * each kind is a link of its own. The most frequent kind at the beginning has the name of the station, as long as it is heard, and the
 * others have the kind behind it. So bursts of another kind do not exchange the names.
 */
import { isControl, isQosData } from "./frame-control.ts"

/** Control packets, QoS data, and all others. */
type TransmissionKind = "control" | "qos" | "basic"

/** Maximum number of stations with votes. */
const stationsMax = 1024
/** Votes at which the name is decided: a second at 100 packets/s. */
const decidedVotes = 100
/** After this long without packets of the kind with the name, it is decided anew. */
const silenceUs = 30_000_000

/** By the first byte of the frame control field. */
const kindOf = (frameControl: number): TransmissionKind =>
  isControl(frameControl) ? "control" : isQosData(frameControl) ? "qos" : "basic"

interface Station {
  /** The kind that has the name of the station. */
  kind: TransmissionKind
  /** Packets of that kind less those of others. */
  votes: number
  decided: boolean
  /** The last packet of that kind. */
  heardUs: number
}

/** Names the links of stations. */
export class KindNames {
  readonly #stations = new Map<string, Station>()

  /** The name of the link of a packet, after its vote. @param frameControl null if unknown: then a station has one link */
  nameOf(transmitterId: string, frameControl: number | null, timestampUs: number): string {
    if (frameControl === null) return transmitterId
    const kind = kindOf(frameControl)
    const station = this.#stationOf(transmitterId, kind, timestampUs)
    if (station.kind === kind) {
      station.votes++
      station.heardUs = timestampUs
    } else if (timestampUs - station.heardUs > silenceUs || (!station.decided && --station.votes < 0)) {
      Object.assign(station, { kind, votes: 1, decided: false, heardUs: timestampUs })
    }
    station.decided ||= station.votes >= decidedVotes
    return station.kind === kind ? transmitterId : `${transmitterId}/${kind}`
  }

  #stationOf(transmitterId: string, kind: TransmissionKind, heardUs: number): Station {
    const known = this.#stations.get(transmitterId)
    if (known !== undefined) return known
    if (this.#stations.size >= stationsMax) this.#stations.clear()
    const station: Station = { kind, votes: 0, decided: false, heardUs }
    this.#stations.set(transmitterId, station)
    return station
  }
}
