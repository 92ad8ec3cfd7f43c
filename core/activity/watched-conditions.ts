/** Which conditions the settings and the zones ask for. */
import type { Condition } from "./condition.ts"
import type { WatchSettings } from "./person.ts"
import type { Zone } from "./zones.ts"

/** A place where persons are intruders; without a zone, the whole environment. */
export interface WatchedPlace {
  readonly key: string
  readonly zone: Zone | null
}

export const watchedPlaces = ({ intrusion }: WatchSettings, zones: ReadonlyArray<Zone>): ReadonlyArray<WatchedPlace> =>
  intrusion.enabled
    ? [
      ...zones.filter(({ kind }) => kind === "watched").map((zone) => ({
        key: `intrusion:zone:${zone.zoneId}`,
        zone,
      })),
      ...(intrusion.armed ? [{ key: "intrusion:anywhere", zone: null }] : []),
    ]
    : []

/** Whether a condition of this type, in this zone, is watched. */
export const isWatched = (
  { type, zone }: Pick<Condition, "type" | "zone">,
  settings: WatchSettings,
  zones: ReadonlyArray<Zone>,
): boolean => {
  switch (type) {
    case "fall_detection":
      return settings.fall.enabled
    case "inactivity":
      return settings.inactivity.enabled
    case "intrusion":
      return watchedPlaces(settings, zones).some((place) => place.zone?.zoneId === zone?.zoneId)
  }
}
