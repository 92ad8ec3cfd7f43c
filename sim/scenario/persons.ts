/**
 * Who lives in a scenario: bodies and what they do, as data.
 *
 * Owns the schema of what `sim/bodies` takes as types. Boundary: whether the doors, seats and beds that steps name exist is checked
 * in `consistency.ts`.
 */
import { Schema } from "effect"
import type { PersonDescription } from "../bodies/person.ts"
import { type DailyWeights, fallDirections, gestures, type Step as BodyStep } from "../bodies/step.ts"
import { between, FloorPoint, ShortIdentifier } from "./values.ts"

const Seconds = between(0, 86_400)
const Gesture = Schema.Literals(gestures)

/** One thing to do; see `sim/bodies/step.ts`. Places are in the home's frame, metres. */
const Step = Schema.Union([
  Schema.Struct({ do: Schema.Literal("enter"), door: ShortIdentifier }),
  Schema.Struct({ do: Schema.Literal("leave"), door: ShortIdentifier, seconds: Schema.optionalKey(Seconds) }),
  Schema.Struct({ do: Schema.Literal("walk"), to: FloorPoint }),
  Schema.Struct({ do: Schema.Literal("stand"), seconds: Seconds, gesture: Schema.optionalKey(Gesture) }),
  Schema.Struct({
    do: Schema.Literal("sit"),
    seat: Schema.optionalKey(ShortIdentifier),
    seconds: Seconds,
    gesture: Schema.optionalKey(Gesture),
  }),
  Schema.Struct({ do: Schema.Literal("lie"), bed: Schema.optionalKey(ShortIdentifier), seconds: Seconds }),
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
  Schema.Struct({ do: Schema.Literal("pick-up") }),
  Schema.Struct({ do: Schema.Literal("kneel"), seconds: Seconds }),
  Schema.Struct({ do: Schema.Literal("jump") }),
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

export const Person = Schema.Struct({
  /** After the empty phase the person stays away for so much longer. */
  awaySeconds: Seconds,
  heightM: between(0.8, 2.2),
  girth: between(0.6, 1.8),
  walkingSpeedMps: between(0.2, 2),
  breathing: Schema.Struct({ ratePerMinute: between(4, 60), chestMm: between(0, 20) }),
  heart: Schema.Struct({ ratePerMinute: between(30, 200), chestMm: between(0, 1) }),
  behaviour: Behaviour,
})

/** A person of a scenario: a body, what it does, and when it first may come. */
export interface Person extends PersonDescription {
  readonly awaySeconds: number
}
