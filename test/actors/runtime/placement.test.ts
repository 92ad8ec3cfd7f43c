/**
 * Actors of a site share its shard; an actor without a site is placed by its own id.
 */
import { Effect, Layer, Schema } from "effect"
import { ClusterSchema, Entity, type EntityId, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { describe, expect, it } from "vitest"
import { entityIdIn, layerPlaced } from "../../../actors/runtime/placement.ts"
import { placedActorId, PlacedWithSite } from "../../../protocols/messages/placement.ts"
import { sensingGroup } from "../../../protocols/messages/shard-groups.ts"
import { Sites } from "../../../protocols/ports/sites.ts"
import { clusterLayer } from "../../harness/cluster.ts"

/** Says what it is called and where it is. */
const Probe = Entity.make("Probe", [
  Rpc.make("Where", { success: Schema.Struct({ actorId: Schema.String, shard: Schema.String }) }),
]).annotate(ClusterSchema.ShardGroup, sensingGroup).annotate(PlacedWithSite, true)

const layerProbe = Probe.toLayer(Effect.gen(function* () {
  const { shardId } = yield* Entity.CurrentAddress
  const actorId = yield* placedActorId
  return Probe.of({ Where: () => Effect.succeed({ actorId, shard: String(shardId) }) })
}))

const layerOf = (sites: Record<string, string>) =>
  layerProbe.pipe(
    Layer.provideMerge(layerPlaced),
    Layer.provide(clusterLayer),
    Layer.provide(Layer.succeed(Sites, { siteOf: (actorId) => sites[actorId] ?? null })),
  )

const shardOf = (sharding: Sharding.Sharding["Service"]) => (id: string) =>
  sharding.getShardId(id as EntityId.EntityId, sensingGroup(id))

describe("placement with the site", () => {
  it("puts the actors of a site on its shard, under their own ids", () =>
    Effect.gen(function* () {
      const probe = yield* Probe.client
      const site = String(shardOf(yield* Sharding.Sharding)("kitchen"))
      for (const routerId of ["k1", "k2", "k3"]) {
        expect(yield* probe(routerId).Where()).toEqual({ actorId: routerId, shard: site })
      }
    }).pipe(Effect.provide(layerOf({ k1: "kitchen", k2: "kitchen", k3: "kitchen" })), Effect.runPromise))

  it("places an actor without a site by its own id, and follows a change of its site", () => {
    const sites: Record<string, string> = {}
    return Effect.gen(function* () {
      const probe = yield* Probe.client
      const shard = shardOf(yield* Sharding.Sharding)
      expect(yield* probe("r").Where()).toEqual({ actorId: "r", shard: String(shard("r")) })
      for (const site of ["hall", "attic"]) {
        sites["r"] = site
        expect(yield* probe("r").Where()).toEqual({ actorId: "r", shard: String(shard(site)) })
      }
    }).pipe(Effect.provide(layerOf(sites)), Effect.runPromise)
  })

  it("finds a salt for every actor in every site", () =>
    Effect.gen(function* () {
      const shard = shardOf(yield* Sharding.Sharding)
      for (let site = 0; site < 20; site++) {
        for (let router = 0; router < 50; router++) {
          const entityId = entityIdIn(shard, `site-${site}`, `router-${router}`)
          expect(String(shard(entityId))).toBe(String(shard(`site-${site}`)))
        }
      }
    }).pipe(Effect.provide(clusterLayer), Effect.runPromise))
})
