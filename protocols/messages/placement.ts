/**
 * Placement: actors of one site exchange all that they make, so they live on one node.
 *
 * The cluster places an actor by a hash of its entity id. The entity id of an actor that is placed with its site begins with a salt, which is
 * chosen so that the hash leads to the shard of the site. Boundary: `actors/runtime/placement.ts` chooses the salt; callers and actors
 * know only the actor's own id.
 */
import { Context, Effect } from "effect"
import { Entity } from "effect/cluster"

/** Annotation of an entity whose actors are placed with the site that they belong to. Without it an actor is placed by its own id. */
export const PlacedWithSite = Context.Reference<boolean>("wavepose/protocols/PlacedWithSite", {
  defaultValue: () => false,
})

/** Between the salt and the actor's own id; no identifier contains it (`protocols/domain/site.ts`). */
export const saltEnd = "~"

/** The own id of an actor that is placed with its site. */
const actorIdOf = (entityId: string): string => entityId.slice(entityId.indexOf(saltEnd) + 1)

/** The own id of the actor in context, whose entity is placed with its site. */
export const placedActorId = Effect.map(Entity.CurrentAddress, ({ entityId }) => actorIdOf(entityId))
