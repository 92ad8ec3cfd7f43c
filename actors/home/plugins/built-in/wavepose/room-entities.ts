/**
 * The home entities of a whole room: presence and the number of persons. Its routers have entities of their own.
 *
 * Pure. The counts come from the newest frame; if it counts no person, from the newest readings of the room's nodes.
 */
import { nameOfClass } from "../../../../../core/privacy/privacy-class.ts"
import type { Released } from "../../../../../core/privacy/gate.ts"
import type { JsonObject } from "../../../../../protocols/domain/home.ts"
import { latenessOf, staleAfterMs } from "../../../../../protocols/domain/lateness.ts"
import type { PoseFrame } from "../../../../../protocols/domain/pose.ts"
import { type Provenance, provenanceJson } from "../../../../../protocols/domain/provenance.ts"
import type { SensingRecord } from "../../../../../protocols/domain/sensing.ts"
import { flagState, numberState, type Sensed, sensed, type SensedDevice, unavailable } from "./sensor-entities.ts"

/** What is known of a room; null with a reason. */
interface RoomReading {
  readonly environmentId: string
  readonly present: boolean | null
  readonly persons: number | null
  readonly reason: string | null
  /** Whether all that was measured is stale. */
  readonly stale: boolean
  /** Whether something fresh was measured. */
  readonly watched: boolean
  readonly provenance: Provenance | null
}

/** The greatest of the numbers that are known; null if none is. */
const most = (numbers: ReadonlyArray<number | null>): number | null => {
  const known = numbers.filter((number) => number !== null)
  return known.length === 0 ? null : Math.max(...known)
}

/** @param readings the newest reading of each node of the room */
export const readRoom = (
  environmentId: string,
  frame: PoseFrame | null,
  readings: ReadonlyArray<SensingRecord>,
  nowMs: number,
): RoomReading => {
  const fresh = readings.filter((reading) => latenessOf(reading, nowMs) !== "stale")
  const isFresh = frame !== null && latenessOf(frame, nowMs) !== "stale"
  const isCounted = isFresh && frame.personsReason === null
  const persons = isCounted ? frame.persons.length : most(fresh.map(({ nPersons }) => nPersons))
  const seen = fresh.map(({ presence }) => presence.present).filter((present) => present !== null)
  const present = seen.includes(true) || (persons !== null && persons > 0)
    ? true
    : seen.length > 0 || persons !== null
    ? false
    : null
  const stale = !isCounted && fresh.length === 0 && readings.length > 0
  const reason = stale
    ? `The newest reading of this room is more than ${staleAfterMs / 1000} s old.`
    : fresh[0]?.presence.reason ?? frame?.personsReason ?? "No node of this room has sent a reading yet."
  return {
    environmentId,
    present,
    persons,
    reason: present === null || persons === null ? reason : null,
    stale,
    watched: isFresh || fresh.length > 0,
    provenance: isCounted ? frame.provenance : fresh[0]?.provenance ?? null,
  }
}

/** The entities of a room. */
export const roomEntities = (
  { privacyClass, record }: Released<RoomReading, "home">,
  device: SensedDevice,
): ReadonlyArray<Sensed> => {
  const { environmentId, persons, present, provenance, reason, stale } = record
  const about: JsonObject = {
    environment_id: environmentId,
    privacy_class: nameOfClass(privacyClass),
    ...(provenance === null ? {} : { provenance: provenanceJson(provenance) }),
  }
  return [
    sensed(
      device,
      {
        platform: "binary_sensor",
        key: "presence",
        name: "Presence",
        fact: true,
        attributes: { device_class: "occupancy" },
      },
      stale ? unavailable : flagState(present),
      { ...about, reason: present === null ? reason : null },
    ),
    sensed(
      device,
      {
        platform: "sensor",
        key: "persons",
        name: "Persons",
        fact: true,
        attributes: { state_class: "measurement", icon: "mdi:account-multiple" },
      },
      stale ? unavailable : numberState(persons, 0),
      { ...about, reason: persons === null ? reason : null },
    ),
  ]
}
