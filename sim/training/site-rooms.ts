/**
 * The rooms of somebody's site as rooms to train in.
 *
 * Owns what such a site must have. Boundary: what a scenario must be is `sim/scenario`; what is drawn in a room is `random-scenario.ts`.
 */
import { Effect, Schema } from "effect"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { tokensMin } from "../../core/pose/room-poses.ts"
import type { Site } from "../../protocols/domain/site.ts"
import { defaultSuite, randomScenario } from "../random-scenario/random-scenario.ts"
import { decodeScenario } from "../scenario/scenario.ts"

/** A room with its nodes, some of which are routers that receive. */
export interface TrainingRoom extends SiteGeometry {
  readonly receivers: ReadonlyArray<string>
}

/** A site that nothing can be learned of; the message says what it lacks. */
class UnusableSite extends Schema.TaggedError<UnusableSite>()("UnusableSite", { message: Schema.String }) {}

const trainingRoomOf = Effect.fnUntraced(function* ({ environmentId, geometry, routers }: Site) {
  const unusable = (why: string) =>
    new UnusableSite({ message: `Site "${environmentId}" cannot be trained on: ${why}` })
  if (geometry === null) return yield* unusable("its geometry is null. Measure the room and where its nodes are.")
  const { nodes, size } = geometry
  const receivers = nodes.map(({ nodeId }) => nodeId).filter((nodeId) => routers.includes(nodeId))
  const links = receivers.length * (nodes.length - 1)
  if (links < tokensMin) {
    return yield* unusable(
      `its ${nodes.length} nodes, ${receivers.length} of them routers, make ${links} links; a pose takes ${tokensMin}.`,
    )
  }
  const room: TrainingRoom = { size, nodes, receivers }
  // What is drawn fits any room that can be simulated at all, so that one scenario stands for every seed.
  yield* Effect.mapError(
    decodeScenario(randomScenario({ ...defaultSuite, rooms: [room] }, 1)),
    (error) => unusable(error.message),
  )
  return room
})

/** The rooms of sites, in their order. */
export const trainingRoomsOf = (
  sites: ReadonlyArray<Site>,
): Effect.Effect<ReadonlyArray<TrainingRoom>, UnusableSite> => Effect.forEach(sites, trainingRoomOf)
