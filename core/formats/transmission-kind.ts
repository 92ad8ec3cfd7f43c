/**
 * The transmission kind of a packet: which of its antennas and precodings a station uses.
 *
 * An access point sends beacons, other management packets and data without a traffic class in one way, QoS data in another, and
 * acknowledgements in a third. Their channels differ like those of different rooms (in captures of 80 MHz by up to the mean power itself), so
 * each kind is a link of its own. The most frequent kind has the name of the station, and the others have the kind behind it.
 */

/** Control packets, QoS data, and all others. */
type TransmissionKind = "control" | "qos" | "basic"

const control = 1
const data = 2
/** Bit of the first byte of the frame control field that marks data with a traffic class. */
const qosBit = 0x80

/** Maximum number of stations with votes. */
const stationsMax = 1024
/** The most votes for a kind: the packets of 5 s at 100 packets/s. */
const votesMax = 500
/** Votes that another kind starts with: 0.3 s at 100 packets/s. */
const changedVotes = 30

/** By the first byte of the frame control field. */
const kindOf = (frameControl: number): TransmissionKind => {
  const type = (frameControl >> 2) & 3
  return type === control ? "control" : type === data && (frameControl & qosBit) !== 0 ? "qos" : "basic"
}

interface Station {
  kind: TransmissionKind
  /** Packets of that kind less those of others: below 0 the kind changes. */
  votes: number
  readonly names: Readonly<Record<TransmissionKind, string>>
}

/** Names the links of stations by a vote of their packets on their most frequent kinds. */
export class KindNames {
  readonly #stations = new Map<string, Station>()

  /** The name of the link of a packet, after its vote. @param frameControl null if unknown: then a station has one link */
  nameOf(transmitterId: string, frameControl: number | null): string {
    if (frameControl === null) return transmitterId
    const kind = kindOf(frameControl)
    const station = this.#stationOf(transmitterId, kind)
    if (station.kind === kind) station.votes = Math.min(station.votes + 1, votesMax)
    else if (--station.votes < 0) {
      station.kind = kind
      station.votes = changedVotes
    }
    return station.kind === kind ? transmitterId : station.names[kind]
  }

  #stationOf(transmitterId: string, kind: TransmissionKind): Station {
    const known = this.#stations.get(transmitterId)
    if (known !== undefined) return known
    if (this.#stations.size >= stationsMax) this.#stations.clear()
    const names = {
      control: `${transmitterId}/control`,
      qos: `${transmitterId}/qos`,
      basic: `${transmitterId}/basic`,
    }
    const station: Station = { kind, votes: 0, names }
    this.#stations.set(transmitterId, station)
    return station
  }
}
