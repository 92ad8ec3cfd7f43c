/**
 * The persons of a scenario: bodies and their behaviour, as data.
 *
 * Owns the schemas for the types of `sim/bodies`. Boundary: `person-consistency.ts` checks that the doors, seats and beds named by
 * steps exist.
 */
import { Schema } from "effect"
import { armHabits, legHabits } from "../bodies/limb-habits.ts"
import { clipFamilies, clipNames } from "../motion-capture/families.ts"
import type { PersonDescription } from "../people/person.ts"
import { type DailyWeights, fallDirections, gestures, paces, type Step as BodyStep } from "../bodies/step.ts"
import { between, FloorPoint, ShortIdentifier } from "./values.ts"

const Seconds = between(0, 86_400)
const Gesture = Schema.Literals(gestures)
const PaceName = Schema.Literals(paces)

/** One instruction; see `sim/bodies/step.ts`. Places are in the home's frame, metres. */
const Step = Schema.Union([
  Schema.Struct({ do: Schema.Literal("enter"), door: ShortIdentifier }),
  Schema.Struct({ do: Schema.Literal("leave"), door: ShortIdentifier, seconds: Schema.optionalKey(Seconds) }),
  Schema.Struct({ do: Schema.Literal("walk"), to: FloorPoint, backwards: Schema.optionalKey(Schema.Boolean) }),
  Schema.Struct({
    do: Schema.Literal("turn"),
    byRad: between(-Math.PI, Math.PI),
    fast: Schema.optionalKey(Schema.Boolean),
  }),
  Schema.Struct({ do: Schema.Literal("stand"), seconds: Seconds, gesture: Schema.optionalKey(Gesture) }),
  Schema.Struct({
    do: Schema.Literal("sit"),
    seat: Schema.optionalKey(ShortIdentifier),
    seconds: Seconds,
    gesture: Schema.optionalKey(Gesture),
  }),
  Schema.Struct({
    do: Schema.Literal("lie"),
    bed: Schema.optionalKey(ShortIdentifier),
    seconds: Seconds,
    pace: Schema.optionalKey(PaceName),
  }),
  Schema.Struct({ do: Schema.Literal("lie-on-floor"), seconds: Seconds, pace: Schema.optionalKey(PaceName) }),
  Schema.Struct({
    do: Schema.Literal("fall"),
    seconds: Seconds,
    recover: Schema.Boolean,
    direction: Schema.optionalKey(Schema.Literals(fallDirections)),
    walking: Schema.optionalKey(Schema.Boolean),
  }),
  Schema.Struct({
    do: Schema.Literal("sit-fast"),
    seat: Schema.optionalKey(ShortIdentifier),
    seconds: Schema.optionalKey(Seconds),
  }),
  Schema.Struct({ do: Schema.Literal("drop-to-floor"), seconds: Schema.optionalKey(Seconds) }),
  Schema.Struct({ do: Schema.Literal("sit-on-floor"), seconds: Seconds }),
  Schema.Struct({ do: Schema.Literal("pick-up") }),
  Schema.Struct({ do: Schema.Literal("kneel"), seconds: Seconds }),
  Schema.Struct({ do: Schema.Literal("jump") }),
  Schema.Struct({
    do: Schema.Literal("captured"),
    clips: Schema.Array(Schema.Literals(clipFamilies.flatMap(clipNames))).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(100),
    ),
    rate: Schema.optionalKey(between(0.5, 2)),
    reversed: Schema.optionalKey(Schema.Boolean),
  }),
])
export type Step = BodyStep

const weightNames = [
  "walk",
  "stand",
  "gesture",
  "sit",
  "lie",
  "leave",
  "fall",
  "sit-fast",
  "drop-to-floor",
  "pick-up",
  "kneel",
  "jump",
  "walk-backwards",
  "turn",
  "sit-on-floor",
  "lie-on-floor",
] as const satisfies ReadonlyArray<keyof DailyWeights>

const Weight = Schema.optionalKey(between(0, 1000))
const Weights = Schema.Struct(
  Object.fromEntries(weightNames.map((name) => [name, Weight])) as Record<keyof DailyWeights, typeof Weight>,
)

const Behaviour = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("script"),
    steps: Schema.Array(Step).check(Schema.isMinLength(1), Schema.isMaxLength(500)),
    loop: Schema.Boolean,
  }),
  Schema.Struct({ kind: Schema.Literal("daily"), weights: Schema.optionalKey(Weights) }),
])

/** See `sim/people/gait.ts` and `sim/bodies/limb-habits.ts`. */
const Manner = Schema.Struct({
  gait: Schema.Struct({
    cycleShare: between(0.4, 1.5),
    surgeM: between(0, 0.05),
    swayM: between(0, 0.1),
    speedVariation: between(0, 0.4),
    delayShare: between(-0.15, 0.15),
    stepBias: between(-0.5, 0.5),
    liftShare: between(0.05, 2),
    lurchRad: between(-0.3, 0.3),
    armShares: Schema.Tuple([between(0, 2), between(0, 2)]),
    turnRateRadps: between(1, 8),
  }),
  limbs: Schema.Struct({ arms: Schema.Literals(armHabits), legs: Schema.Literals(legHabits) }),
})

export const Person = Schema.Struct({
  /** How much longer than the empty phase the person stays away. */
  awaySeconds: Seconds,
  heightM: between(0.8, 2.2),
  girth: between(0.6, 1.8),
  walkingSpeedMps: between(0.2, 2),
  manner: Schema.optionalKey(Manner),
  breathing: Schema.Struct({ ratePerMinute: between(4, 60), chestMm: between(0, 20) }),
  heart: Schema.Struct({ ratePerMinute: between(30, 200), chestMm: between(0, 1) }),
  behaviour: Behaviour,
})

/** A person of a scenario: a body, its behaviour, and the time of its first entry. */
export interface Person extends PersonDescription {
  readonly awaySeconds: number
}
