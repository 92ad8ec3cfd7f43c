/**
 * The interface of radio models: the channels between the nodes of one room, empty and with movers in it.
 *
 * Once per round the caller passes the movers to `illuminate`, then requests each directed link with `respond`.
 */
import type { RadioNode } from "../../core/imaging/geometry.ts"
import type { RoomDescription } from "../rooms/room.ts"
import type { Streams } from "./air.ts"
import type { Field } from "./field.ts"
import type { Mover } from "./mover.ts"
import type { Tones } from "./tones.ts"

/**
 * `points`: bodies are point scatterers with knife edges as shadows, and rooms have a prescribed statistic.
 * `surfaces`: bodies are cylinders by physical optics with complex diffraction, and rooms have single objects.
 */
export const radioModelNames = ["points", "surfaces"] as const
export type RadioModel = typeof radioModelNames[number]

export interface RadioScene {
  readonly tones: Tones
  readonly antennas: number
  /** Response of the empty room for a directed pair of nodes. Must not be modified. */
  readonly empty: (transmitter: number, receiver: number) => Field
  /** Computes what all links have in common, for the movers at their current positions. */
  readonly illuminate: (movers: ReadonlyArray<Mover>) => void
  /** Writes the response of a directed pair, as of the last `illuminate`, to `field`. */
  readonly respond: (transmitter: number, receiver: number, field: Field) => void
}

/**
 * Builds the scene of a room.
 *
 * @param nodes Nodes within the room; every node can transmit and receive.
 * @param antennas Receive antennas of each node.
 * @param streams Independent random streams by name; the draws of a node or a pair do not depend on the others.
 */
export type CreateRadioScene = (
  room: RoomDescription,
  nodes: ReadonlyArray<RadioNode>,
  tones: Tones,
  antennas: number,
  streams: Streams,
) => RadioScene
