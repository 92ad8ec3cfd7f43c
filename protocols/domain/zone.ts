/**
 * Zones of an environment's floor plan; see `core/activity/zones.ts`.
 */
import { Schema } from "effect"
import { areaM2, zoneKinds, zoneRoles } from "../../core/activity/zones.ts"

/** Ids that appear in paths, keys and logs. */
const ZoneId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/u))

/** Smaller than this a person does not fit in. */
export const areaM2Min = 0.05
export const zonesMax = 32

/** A corner, metres on the floor plan. */
const Corner = Schema.Tuple([Schema.Finite, Schema.Finite])

export const Zone = Schema.Struct({
  zoneId: ZoneId,
  name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128)),
  kind: Schema.Literals(zoneKinds),
  /** For reports of visits; a zone without one is in no stage. */
  role: Schema.optionalKey(Schema.Literals(zoneRoles)),
  polygon: Schema.Array(Corner).check(
    Schema.isMinLength(3),
    Schema.isMaxLength(64),
    Schema.makeFilter(
      (polygon: ReadonlyArray<readonly [number, number]>) => areaM2(polygon) >= areaM2Min,
      { expected: `a polygon of at least ${areaM2Min} square metres` },
    ),
  ),
})

/** The zones of an environment; they may overlap. */
export const Zones = Schema.Array(Zone).check(
  Schema.isMaxLength(zonesMax),
  Schema.makeFilter(
    (zones: ReadonlyArray<{ readonly zoneId: string }>) =>
      new Set(zones.map(({ zoneId }) => zoneId)).size === zones.length,
    { expected: "zones with ids of their own" },
  ),
)

/** A zone as events and alerts name it. */
export const ZoneReference = Schema.Struct({ zoneId: Schema.String, name: Schema.String })
