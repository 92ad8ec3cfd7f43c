/**
 * Phase of the vital signs' reading within a second. A reading costs as much as many packets, so the links of a room
 * must not all be read in the same hop.
 */
import { hopUs } from "../observation/observation.ts"

const hopsPerSecond = Math.round(1e6 / hopUs)

/** FNV-1a over 32 bits (Fowler, Noll, Vo), by UTF-16 units. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** The microsecond of each second: the end of a hop, constant for a link, and spread over all hops for many links. */
export const readingPhaseUs = (routerId: string, transmitterId: string): number =>
  hopUs * (hashOf(`${routerId} ${transmitterId}`) % hopsPerSecond)
