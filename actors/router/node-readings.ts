/**
 * The readings that a router reports to its edge node: the content of its observations, from its own links alone.
 *
 * Pure except for its own state; time is the hop.
 */
import { meanOf } from "../../core/math/mean.ts"
import { hopUs, type Observation } from "../../core/observation/observation.ts"
import { createBeamformingScanner } from "../../core/vitals/beamforming-scan.ts"
import { PresenceDetector } from "../../core/vitals/presence.ts"
import type { NodeReading, RoomReading } from "../../protocols/messages/edge-node.ts"

/** A hop this much earlier than the last one means that time was set back: 10 s. */
const setBackHops = 100

/** A reading before its room and its environment are known. */
export type DraftReading = Omit<NodeReading, "environmentId" | "room">

interface NodeReadings {
  /** The reading of an observation; observations come in ascending order, or start again. */
  readonly of: (observation: Observation, kind: string) => DraftReading
}

/** The mean strength of the links that have one; 0 is an unknown strength. */
const meanRssiOf = ({ links }: Observation): number | null =>
  meanOf(links.map(({ rssiDbm }) => rssiDbm).filter((dbm) => dbm !== 0))

const usableShareOf = ({ links }: Observation): number | null => {
  const packets = links.reduce((sum, link) => sum + link.packets, 0)
  return packets === 0 ? null : 1 - links.reduce((sum, link) => sum + link.outliers, 0) / packets
}

const occupancyOf = ({ links }: Observation): number | null => {
  const known = links.flatMap(({ occupancy }) => occupancy === null ? [] : [occupancy])
  return known.length === 0 ? null : Math.max(...known)
}

export const createNodeReadings = (): NodeReadings => {
  let presence = new PresenceDetector()
  let scanner = createBeamformingScanner()
  let lastHop = -Infinity
  return {
    of: (observation, kind) => {
      if (observation.hop < lastHop - setBackHops) {
        presence = new PresenceDetector()
        scanner = createBeamformingScanner()
      }
      lastHop = observation.hop
      presence.add(observation)
      const reading = presence.read(observation.hop)
      return {
        kind,
        timestampMs: ((observation.hop + 1) * hopUs) / 1000,
        source: observation.source,
        calibrated: observation.calibrated,
        linksUsed: observation.links.length,
        presence: reading.presence,
        motion: reading.motion,
        vitals: reading.vitals,
        occupancy: occupancyOf(observation),
        usableShare: usableShareOf(observation),
        rssiDbm: meanRssiOf(observation),
        packetRateHz: observation.packetRateHz,
        packetLoss: observation.packetLoss,
        scan: kind === "beamforming-feedback" ? scanner.scan(observation, reading) : null,
      }
    },
  }
}

/** A reading with its environment and room, as the edge node takes it. */
export const placed = (draft: DraftReading, environmentId: string, room: RoomReading | null): NodeReading => ({
  ...draft,
  environmentId,
  room,
})
