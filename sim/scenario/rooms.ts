/**
 * The rooms of a scenario with their contents and nodes, as data.
 *
 * A room is an environment of the service. Its contents have coordinates of the room, with the origin at the south-west corner of
 * the floor; `origin` is the position of the room in the home. Doors have coordinates of the home.
 */
import { Schema } from "effect"
import { RadioNode } from "../../protocols/domain/site.ts"
import { wifiStandards } from "../radio/tones.ts"
import { materialNames } from "../rooms/materials.ts"
import { between, countOf, defaulted, FloorPoint, listOf, Radians, ShortIdentifier } from "./values.ts"

const Material = Schema.Literals(materialNames)

const Surfaces = Schema.Struct({
  west: Material,
  east: Material,
  south: Material,
  north: Material,
  floor: Material,
  ceiling: Material,
})

const Seat = Schema.Struct({
  seatId: ShortIdentifier,
  /** Position of the hips of a person who sits there. */
  place: FloorPoint,
  heightM: between(0.2, 0.9),
  /** Heading of a person who sits there. */
  facingRad: Radians,
})

const Bed = Schema.Struct({
  bedId: ShortIdentifier,
  /** Its middle. */
  place: FloorPoint,
  lengthM: between(1.2, 2.4),
  widthM: between(0.6, 2.4),
  heightM: between(0.1, 1.2),
  /** From the head to the feet; a multiple of a quarter turn. */
  headingRad: Radians,
})

/** An area that persons cannot walk through. */
const Obstacle = Schema.Struct({ low: FloorPoint, high: FloorPoint })

const Place = Schema.Tuple([between(0, 30), between(0, 30), between(0, 10)])

/** See `FanDescription` in `sim/simulation/fixtures.ts`; pets and door leaves are described there too. */
const Fan = Schema.Struct({
  position: Place,
  kind: Schema.Literals(["ceiling", "standing"]),
  radiusM: between(0.05, 1.5),
  blades: countOf(1, 8),
  turnsPerSecond: between(0.1, 30),
  headingRad: defaulted(Radians, 0),
  swingRad: defaulted(between(0, 1.5), 0),
  swingSeconds: defaulted(between(1, 120), 10),
  rcsM2: between(0.001, 1),
})

const Pet = Schema.Struct({
  area: Schema.Tuple([between(0, 30), between(0, 30), between(0, 30), between(0, 30)]),
  rcsM2: between(0.001, 0.3),
  heightM: between(0.05, 1),
  speedMps: between(0.05, 3),
  sleepShare: between(0, 0.95),
})

const DoorLeaf = Schema.Struct({
  hinge: Schema.Tuple([between(0, 30), between(0, 30)]),
  closedRad: Radians,
  openRad: Radians,
  widthM: between(0.3, 2),
  heightM: between(0.5, 3),
  rcsM2: between(0.001, 5),
  movesS: Schema.Array(between(0, 86_400)).check(Schema.isMaxLength(1000)),
  moveSeconds: between(0.3, 30),
})

const Radio = Schema.Struct({
  centerFrequencyHz: between(2.4e9, 7.2e9),
  bandwidthMhz: Schema.Literals([20, 40, 80, 160]),
  standard: Schema.Literals(wifiStandards),
  /** Tones of a frame: all tones of the standard, or the means of this many groups of neighbours. */
  subcarriers: Schema.Union([Schema.Literal("all"), countOf(2, 2048)]),
  receiveAntennas: countOf(1, 4),
  /** Rounds per second: in a round every node transmits once and all others of the room receive it. */
  packetRateHz: between(1, 1000),
  transmitPowerDbm: between(-20, 30),
})

/** A receiver in monitor mode; see `sim/simulation/feedback-monitor.ts`. It is beside the access point and has no place in the geometry. */
const FeedbackMonitor = Schema.Struct({
  nodeId: ShortIdentifier,
  /** The node that the other nodes, its stations, send their beamforming reports to. */
  accessPointId: ShortIdentifier,
  /** Reports per second of each station. */
  reportRateHz: between(1, 100),
})

export const Room = Schema.Struct({
  environmentId: ShortIdentifier,
  name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100)),
  origin: FloorPoint,
  /** x, y, z extents in metres. */
  size: Schema.Tuple([between(1.5, 30), between(1.5, 30), between(2, 10)]),
  surfaces: Surfaces,
  /** Number of large reflecting objects, at random places. */
  furniture: countOf(0, 50),
  obstacles: listOf(Obstacle, 20),
  seats: listOf(Seat, 50),
  beds: listOf(Bed, 20),
  fans: listOf(Fan, 8),
  pets: listOf(Pet, 4),
  doorLeaves: listOf(DoorLeaf, 8),
  nodes: Schema.Array(RadioNode).check(Schema.isMinLength(2), Schema.isMaxLength(20)),
  radio: Radio,
  feedbackMonitor: Schema.optionalKey(FeedbackMonitor),
})
export type Room = typeof Room.Type

/** A doorway in the wall of a room. */
export const Door = Schema.Struct({
  doorId: ShortIdentifier,
  /** Its middle, in the home's frame. */
  place: FloorPoint,
  /** The environments that it joins; null is outside the home. */
  rooms: Schema.Tuple([ShortIdentifier, Schema.NullOr(ShortIdentifier)]),
})
export type Door = typeof Door.Type
