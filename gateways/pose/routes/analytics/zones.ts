/**
 * The zones of the environments as reports need them: by role, with their visits, and as stages of a funnel.
 */
import { Effect } from "effect"
import { type ZoneRole, zoneRoles } from "../../../../core/activity/zones.ts"
import type { Funnel, ZoneVisits } from "../../../../core/analytics/retail.ts"
import type { Environment } from "../../../../protocols/domain/site.ts"
import { Analytics, type AnalyticsScope, type ZoneKey } from "../../../../protocols/ports/analytics.ts"

type RoleZone = ZoneKey & { readonly role: ZoneRole }

export const zonesWithRoles = (environments: ReadonlyArray<Environment>): ReadonlyArray<RoleZone> =>
  environments.flatMap(({ environmentId, zones = [] }) =>
    zones.flatMap(({ role, zoneId }) => role === undefined ? [] : [{ environmentId, zoneId, role }])
  )

const zoneKeyOf = ({ environmentId, zoneId }: ZoneKey): string => `${environmentId}/${zoneId}`

/** The zones that were visited and those that are configured, with their current names. */
export const allZones = (
  environments: ReadonlyArray<Environment>,
  visited: ReadonlyArray<ZoneVisits>,
): ReadonlyArray<ZoneVisits> => {
  const zones = new Map(visited.map((zone) => [zoneKeyOf(zone), zone]))
  for (const { environmentId, zones: configured = [] } of environments) {
    for (const { name, zoneId } of configured) {
      const none = { environmentId, zoneId, visitors: 0, entries: 0, buyers: 0, left: 0, dwellS: 0 }
      zones.set(zoneKeyOf(none), { ...(zones.get(zoneKeyOf(none)) ?? none), name })
    }
  }
  return [...zones.values()]
}

/**
 * Distinct visitors of each stage; null if no zone has its role, or if the events name no person. If one zone of an environment has the role,
 * its visitors are already known. If several have it, the store counts their visitors, because a person may have visited more than one.
 */
export const stagesOf = Effect.fnUntraced(function* (
  scope: AnalyticsScope,
  staged: ReadonlyArray<RoleZone>,
  visited: ReadonlyArray<ZoneVisits>,
) {
  const stageOf = ({ environmentId, role }: RoleZone) => `${environmentId}/${role}`
  const sizes = Map.groupBy(staged, stageOf)
  const isShared = (zone: RoleZone) => sizes.get(stageOf(zone))!.length > 1
  const shared = staged.filter(isShared)
  const asked = shared.length === 0 ? null : yield* (yield* Analytics).stages(scope, shared)
  const visits = new Map(visited.map((zone) => [zoneKeyOf(zone), zone]))
  return Object.fromEntries(zoneRoles.map((role) => {
    const zones = staged.filter((zone) => zone.role === role)
    if (zones.length === 0) return [role, null]
    const alone = zones.filter((zone) => !isShared(zone))
    const counts = alone.map((zone) => (visits.get(zoneKeyOf(zone)) ?? { visitors: 0 }).visitors)
    const together = [...counts, asked === null ? 0 : asked[role]]
    return [role, together.reduce((sum, count) => sum === null || count === null ? null : sum + count, 0)]
  })) as Funnel
})
