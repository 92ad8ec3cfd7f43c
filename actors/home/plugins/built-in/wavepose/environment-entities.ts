/**
 * The home entities of an environment: one device, with its zones (occupancy, number of persons) and its alerts (falls, inactivity, unexpected
 * occupancy).
 *
 * Pure. Data about persons passes the privacy gate first, under the class of the environment's nodes.
 */
import { contains } from "../../../../../core/activity/zones.ts"
import { type Destination, nameOfClass, type PrivacyClass } from "../../../../../core/privacy/privacy-class.ts"
import { gate, type Released } from "../../../../../core/privacy/gate.ts"
import type { Alert, AlertType } from "../../../../../protocols/domain/event.ts"
import type { JsonObject } from "../../../../../protocols/domain/home.ts"
import { latenessOf, staleAfterMs } from "../../../../../protocols/domain/lateness.ts"
import type { PoseFrame } from "../../../../../protocols/domain/pose.ts"
import { type Provenance, provenanceJson } from "../../../../../protocols/domain/provenance.ts"
import type { Environment } from "../../../../../protocols/domain/site.ts"
import {
  areaOf,
  flagState,
  numberState,
  rounded,
  type Sensed,
  sensed,
  type SensedDevice,
  slugOf,
  timeOf,
  unavailable,
} from "./sensor-entities.ts"
import { environmentKey } from "./slugs.ts"

/** The most alerts in the attributes of an entity. */
const listedMax = 16

/** The number of persons in each zone, and why it is unknown. */
interface ZoneCounts {
  readonly environmentId: string
  readonly counts: ReadonlyArray<{ readonly zoneId: string; readonly persons: number | null }>
  readonly reason: string | null
  /** Whether the newest frame is stale. */
  readonly stale: boolean
  readonly provenance: Provenance | null
}

/** The device of an environment. `slug` begins the ids of its entities. */
export const environmentDevice = ({ environmentId, name }: Environment, slug: string): SensedDevice => ({
  slug,
  name,
  area: { areaId: areaOf(slug), name },
  order: {
    deviceId: `wavepose-environment-${slug}`,
    identifiers: [["wavepose", environmentKey(environmentId)]],
    name,
    manufacturer: "wavepose",
    model: "environment",
    areaId: areaOf(slug),
  },
})

/** Why an environment has no newest frame. */
export interface NoFrame {
  readonly reason: string
  /** Whether its source delivers nothing for now. */
  readonly stopped: boolean
}

/** Counts the persons of a frame in each zone. All counts are null if the frame has no positions, is stale or is missing. */
export const countZones = (
  { environmentId, zones = [] }: Environment,
  newest: PoseFrame | NoFrame,
  nowMs: number,
): ZoneCounts => {
  const frame = "stopped" in newest ? null : newest
  const stale = "stopped" in newest ? newest.stopped : latenessOf(newest, nowMs) === "stale"
  const locates = frame !== null && !stale && frame.personsReason === null
  return {
    environmentId,
    counts: zones.map(({ polygon, zoneId }) => ({
      zoneId,
      persons: locates ? frame.persons.filter(({ location }) => contains(polygon, location)).length : null,
    })),
    reason: "stopped" in newest
      ? newest.reason
      : stale
      ? `The newest frame of this environment is more than ${staleAfterMs / 1000} s old.`
      : newest.personsReason,
    stale,
    provenance: frame?.provenance ?? null,
  }
}

/** Releases a record of an environment under its nodes' class; null if the privacy gate rejects it. */
export const releaseTo = <R>(record: R, privacyClass: PrivacyClass): Released<R, "home"> | null => {
  const destination = "home" satisfies Destination
  const verdict = gate(record, privacyClass, destination)
  return verdict.decision === "refuse" ? null : verdict.released
}

/** The entities of an environment's zones. */
export const zoneEntities = (
  { zones = [] }: Environment,
  { privacyClass, record: { counts, environmentId, provenance, reason, stale } }: Released<ZoneCounts, "home">,
  device: SensedDevice,
): ReadonlyArray<Sensed> =>
  zones.flatMap(({ kind, name, zoneId }) => {
    const persons = counts.find((each) => each.zoneId === zoneId)?.persons ?? null
    const key = `zone_${slugOf(zoneId)}`
    const more: JsonObject = {
      environment_id: environmentId,
      zone_id: zoneId,
      zone_kind: kind,
      privacy_class: nameOfClass(privacyClass),
      reason: persons === null ? reason : null,
      ...(provenance === null ? {} : { provenance: provenanceJson(provenance) }),
    }
    return [
      sensed(
        device,
        { platform: "binary_sensor", key, name, fact: true, attributes: { device_class: "occupancy" } },
        stale ? unavailable : flagState(persons === null ? null : persons > 0),
        more,
      ),
      sensed(
        device,
        {
          platform: "sensor",
          key: `${key}_persons`,
          name: `${name} persons`,
          fact: true,
          attributes: { state_class: "measurement", icon: "mdi:account-multiple" },
        },
        stale ? unavailable : numberState(persons, 0),
        more,
      ),
    ]
  })

/** Names of alerts in the home, in neutral words; the pose API's names differ. */
const alertWords: Readonly<Record<AlertType, { readonly type: string; readonly key: string; readonly name: string }>> =
  {
    fall_detection: { type: "fall_detection", key: "fall", name: "Fall" },
    inactivity: { type: "inactivity", key: "inactivity", name: "Inactivity" },
    intrusion: { type: "unexpected_occupancy", key: "unexpected_occupancy", name: "Unexpected occupancy" },
  }

/** An alert as entities and events show it. */
export const alertJson = (
  { alertId, confidence, environmentId, provenance, severity, status, timestampMs, type, zone }: Alert,
): JsonObject => ({
  alert_id: alertId,
  environment_id: environmentId,
  type: alertWords[type].type,
  severity,
  status,
  raised_at: timeOf(timestampMs),
  confidence: rounded(confidence, 2),
  zone: zone?.name ?? null,
  provenance: provenanceJson(provenance),
})

/**
 * The entities of an environment's alerts. Each is on while an alert of its type is not cleared. The newest alert comes first.
 *
 * @param unwatched why that no alert is open means nothing; null if it means that all is well
 */
export const alertEntities = (
  environmentId: string,
  { privacyClass, record: alerts }: Released<ReadonlyArray<Alert>, "home">,
  device: SensedDevice,
  unwatched: string | null,
): ReadonlyArray<Sensed> =>
  (Object.keys(alertWords) as ReadonlyArray<AlertType>).map((type) => {
    const open = alerts.filter((alert) => alert.type === type && alert.status !== "cleared")
      .sort((a, b) => b.timestampMs - a.timestampMs)
    const newest = open[0]
    return sensed(
      device,
      {
        platform: "binary_sensor",
        key: alertWords[type].key,
        name: alertWords[type].name,
        fact: true,
        attributes: { device_class: "problem" },
      },
      open.length > 0 || unwatched === null ? flagState(open.length > 0) : unavailable,
      {
        environment_id: environmentId,
        reason: unwatched,
        privacy_class: nameOfClass(privacyClass),
        ...(newest === undefined ? {} : alertJson(newest)),
        alerts: open.slice(0, listedMax).map(alertJson),
      },
    )
  })
