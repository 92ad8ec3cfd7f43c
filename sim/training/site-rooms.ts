/**
 * The rooms of a user's site as training rooms.
 *
 * Owns the requirements on such a site. Boundary: the requirements on a scenario are in `sim/scenario`; the draws within a room are in
 * `random-scenario.ts`.
 */
import { Effect, Schema } from "effect"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { tokensMin } from "../../core/pose/room-poses.ts"
import type { Site } from "../../protocols/domain/site.ts"
import { defaultSuite, randomScenario } from "../random-scenario/random-scenario.ts"
import { decodeScenario } from "../scenario/scenario.ts"

/** A room with its nodes, some of which are receiving routers. */
export interface TrainingRoom extends SiteGeometry {
  readonly receivers: ReadonlyArray<string>
}

/** A site that cannot be used for training; the message names what is missing. */
class UnusableSite extends Schema.TaggedError<UnusableSite>()("UnusableSite", { message: Schema.String }) {}

const trainingRoomOf = Effect.fnUntraced(function* ({ environmentId, geometry, routers }: Site) {
  const unusable = (why: string) =>
    new UnusableSite({ message: `Site "${environmentId}" cannot be trained on: ${why}` })
  if (geometry === null) {
    return yield* unusable("its geometry is null. Measure the room and the positions of its nodes.")
  }
  const { nodes, size } = geometry
  const receivers = nodes.map(({ nodeId }) => nodeId).filter((nodeId) => routers.includes(nodeId))
  const links = receivers.length * (nodes.length - 1)
  if (links < tokensMin) {
    return yield* unusable(
      `its ${nodes.length} nodes, ${receivers.length} of them routers, make ${links} links, but a pose needs ${tokensMin}; add nodes or routers.`,
    )
  }
  const room: TrainingRoom = { size, nodes, receivers }
  // The draws fit any room that can be simulated, so one scenario represents every seed.
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
