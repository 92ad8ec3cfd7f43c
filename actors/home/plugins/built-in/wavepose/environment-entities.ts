/**
 * Environments in the home: a device each, with its zones (is anybody in them, how many) and its alerts (falls, inactivity, unexpected occupancy).
 *
 * Pure. What is said of persons here passes the privacy gate first, under the class of the environment's nodes.
 */
import { contains } from "../../../../../core/activity/zones.ts"
import { type Destination, nameOfClass, type PrivacyClass } from "../../../../../core/privacy/privacy-class.ts"
import { gate, type Released } from "../../../../../core/privacy/gate.ts"
import type { Alert, AlertType } from "../../../../../protocols/domain/event.ts"
import type { JsonObject } from "../../../../../protocols/domain/home.ts"
import { latenessOf, staleAfterMs } from "../../../../../protocols/domain/lateness.ts"
import type { PoseFrame } from "../../../../../protocols/domain/pose.ts"
import type { Provenance } from "../../../../../protocols/domain/provenance.ts"
import type { Environment } from "../../../../../protocols/domain/site.ts"
import {
  flagState,
  numberState,
  provenanceOf,
  rounded,
  type Sensed,
  sensed,
  type SensedDevice,
  slugOf,
  unavailable,
} from "./sensor-entities.ts"

/** Alerts that an entity names. */
const listedMax = 16

/** How many are in each zone, and why nobody can tell. */
interface ZoneCounts {
  readonly environmentId: string
  readonly counts: ReadonlyArray<{ readonly zoneId: string; readonly persons: number | null }>
  readonly reason: string | null
  /** Frames came, and the newest is stale. */
  readonly stale: boolean
  readonly provenance: Provenance | null
}

/** The device of an environment. */
export const environmentDevice = ({ environmentId, name }: Environment): SensedDevice => ({
  slug: slugOf(environmentId),
  name,
  order: {
    deviceId: `wavepose-environment-${slugOf(environmentId)}`,
    identifiers: [["wavepose", `environment:${environmentId}`]],
    name,
    manufacturer: "wavepose",
    model: "environment",
  },
})

/** Where the persons of a frame are; a frame that cannot say where anybody is counts nobody anywhere. */
export const countZones = (
  { environmentId, zones = [] }: Environment,
  frame: PoseFrame | null,
  nowMs: number,
): ZoneCounts => {
  const stale = frame !== null && latenessOf(frame, nowMs) === "stale"
  const locates = frame !== null && !stale && frame.personsReason === null
  return {
    environmentId,
    counts: zones.map(({ polygon, zoneId }) => ({
      zoneId,
      persons: locates ? frame.persons.filter(({ location }) => contains(polygon, location)).length : null,
    })),
    reason: frame === null
      ? "There is no present frame of this environment."
      : stale
      ? `The newest frame of this environment is more than ${staleAfterMs / 1000} s old.`
      : frame.personsReason,
    stale,
    provenance: frame?.provenance ?? null,
  }
}

/** What may be said of an environment under its nodes' class; null: nothing may. */
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
      ...(provenance === null ? {} : { provenance: provenanceOf(provenance) }),
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

/** What alerts are called at home: in neutral words, whatever the service's own API calls them. */
const alertWords: Readonly<Record<AlertType, { readonly type: string; readonly key: string; readonly name: string }>> =
  {
    fall_detection: { type: "fall_detection", key: "fall", name: "Fall" },
    inactivity: { type: "inactivity", key: "inactivity", name: "Inactivity" },
    intrusion: { type: "unexpected_occupancy", key: "unexpected_occupancy", name: "Unexpected occupancy" },
  }

/** An alert as entities and events show it. */
export const alertJson = (
  { alertId, confidence, environmentId, severity, status, timestampMs, type, zone }: Alert,
): JsonObject => ({
  alert_id: alertId,
  environment_id: environmentId,
  type: alertWords[type].type,
  severity,
  status,
  raised_at: new Date(timestampMs).toISOString(),
  confidence: rounded(confidence, 2),
  zone: zone?.name ?? null,
})

/** The entities of an environment's alerts: on while one is not cleared. The newest comes first. */
export const alertEntities = (
  environmentId: string,
  { privacyClass, record: alerts }: Released<ReadonlyArray<Alert>, "home">,
  device: SensedDevice,
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
      flagState(open.length > 0),
      {
        environment_id: environmentId,
        privacy_class: nameOfClass(privacyClass),
        ...(newest === undefined ? {} : { ...alertJson(newest), provenance: provenanceOf(newest.provenance) }),
        alerts: open.slice(0, listedMax).map(alertJson),
      },
    )
  })
