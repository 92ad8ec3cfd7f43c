/**
 * Placement with the site: the calls to the actors of a site lead to one shard, and so to one node.
 *
 * Owns the entity ids of actors that are placed with their site (`protocols/messages/placement.ts`). Boundary: which node has a shard is
 * decided by the cluster.
 *
 * Invariants: equal sites give equal entity ids on all nodes; an actor without a site keeps its own id. While nodes disagree about the site of
 * a router, for at most a second after a change, it may have an actor at both ids; each delivers to the environment that it is enrolled in.
 */
import { Context, Effect, Layer } from "effect"
import { type EntityId, type ShardId, Sharding } from "effect/cluster"
import { PlacedWithSite, saltEnd } from "../../protocols/messages/placement.ts"
import { sensingGroup } from "../../protocols/messages/shard-groups.ts"
import { SiteElsewhere, Sites } from "../../protocols/ports/sites.ts"

/** The shard of an entity id. */
type ShardOf = (entityId: string) => ShardId.ShardId

/** With 64 groups, a salt is missing once in 10^28 ids. */
const saltsMax = 4_096
/** Entity ids that are remembered; then all are forgotten. */
const rememberedMax = 100_000

/** The entity id of an actor that lives on the shard of its site; its own id when no salt leads there. Pure. */
export const entityIdIn = (shardOf: ShardOf, siteId: string, actorId: string): string => {
  const wanted = String(shardOf(siteId))
  for (let salt = 0; salt < saltsMax; salt++) {
    const entityId = `${salt.toString(36)}${saltEnd}${actorId}`
    if (String(shardOf(entityId)) === wanted) return entityId
  }
  return actorId
}

/** Remembers the entity id of each actor until its site changes. */
const makeEntityIds = (sites: Sites["Service"]) => {
  const known = new Map<string, { readonly siteId: string; readonly entityId: string }>()
  return (shardOf: ShardOf, actorId: string): string => {
    const siteId = sites.siteOf(actorId)
    if (siteId === null) return actorId
    const before = known.get(actorId)
    if (before?.siteId === siteId) return before.entityId
    if (known.size >= rememberedMax) known.clear()
    const entityId = entityIdIn(shardOf, siteId, actorId)
    known.set(actorId, { siteId, entityId })
    return entityId
  }
}

/** The cluster with clients that know where the actors of a site are. */
const placedWithSites = (
  sharding: Sharding.Sharding["Service"],
  sites: Sites["Service"],
): Sharding.Sharding["Service"] => {
  const entityIdOf = makeEntityIds(sites)
  return {
    ...sharding,
    makeClient: (entity) => {
      const client = sharding.makeClient(entity)
      if (!Context.get(entity.protocol.annotations, PlacedWithSite)) return client
      const shardOf: ShardOf = (entityId) =>
        sharding.getShardId(entityId as EntityId.EntityId, entity.getShardGroup(entityId as EntityId.EntityId))
      return Effect.map(client, (make) => (actorId) => make(entityIdOf(shardOf, actorId)))
    },
  }
}

/** Places the actors of a site together, and knows which sites other nodes have. */
export const layerPlaced: Layer.Layer<Sharding.Sharding, never, Sharding.Sharding | Sites> = Layer.effectContext(
  Effect.gen(function* () {
    const sharding = yield* Sharding.Sharding
    const sites = yield* Sites
    const isHere = (siteId: string) =>
      sharding.hasShardId(sharding.getShardId(siteId as EntityId.EntityId, sensingGroup(siteId)))
    return Context.make(Sharding.Sharding, placedWithSites(sharding, sites)).pipe(
      Context.add(SiteElsewhere, (routerId) => {
        const siteId = sites.siteOf(routerId)
        return siteId === null || isHere(siteId) ? null : siteId
      }),
    )
  }),
)
