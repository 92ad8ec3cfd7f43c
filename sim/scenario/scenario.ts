/**
 * A scenario: the input of a simulation, as data.
 *
 * Owns the schema of `sim/scenarios/*.json` as a whole, and the geometry that an operator would report of the rooms. Boundary: the
 * parts and the checks between them are in `sim/scenario`; `simulation.ts` runs a scenario.
 */
import { Effect, Schema } from "effect"
import type { SiteGeometry } from "../../core/imaging/geometry.ts"
import { surveySite } from "../impairments/survey.ts"
import { radioModelNames } from "../radio/radio-scene.ts"
import { createRandom } from "../randomness/random.ts"
import { inconsistency } from "./consistency.ts"
import { ScenarioImpairments } from "./impairments.ts"
import { Person } from "./persons.ts"
import { Door, Room } from "./rooms.ts"
import { between, defaulted, listOf, ShortIdentifier } from "./values.ts"

const ScenarioFields = Schema.Struct({
  scenarioId: ShortIdentifier,
  rooms: Schema.Array(Room).check(Schema.isMinLength(1), Schema.isMaxLength(12)),
  doors: listOf(Door, 40),
  persons: listOf(Person, 8),
  /** How long everyone stays out at the beginning, so that routers can calibrate. Fans and pets are there all the time. */
  emptySeconds: between(0, 3600),
  /** The radio model; see `sim/radio/radio-scene.ts`. */
  radio: defaulted(Schema.Literals(radioModelNames), "points"),
  impairments: ScenarioImpairments,
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
})
export type Scenario = typeof ScenarioFields.Type

/** A scenario that cannot be simulated; the message names the field and its valid values. */
export class InvalidScenario extends Schema.TaggedError<InvalidScenario>()("InvalidScenario", {
  message: Schema.String,
}) {}

/** Unknown fields are rejected: a misspelt field would silently take its default. */
const decodeFields = Schema.decodeUnknownEffect(ScenarioFields, { onExcessProperty: "error" })

/** Reads a scenario from parsed JSON. */
export const decodeScenario = (input: unknown): Effect.Effect<Scenario, InvalidScenario> =>
  decodeFields(input).pipe(
    Effect.mapError((error) => new InvalidScenario({ message: `The scenario is invalid: ${error.message}` })),
    Effect.flatMap((scenario) => {
      const message = inconsistency(scenario)
      return message === null ? Effect.succeed(scenario) : Effect.fail(new InvalidScenario({ message }))
    }),
  )

/**
 * The geometry of a room as its operator would have surveyed it: the truth with survey errors, the same for the same seed. Throws
 * a RangeError for a room that the scenario does not have.
 */
export const geometryOf = ({ impairments, rooms, seed }: Scenario, environmentId: string): SiteGeometry => {
  const room = rooms.find((each) => each.environmentId === environmentId)
  if (room === undefined) throw new RangeError(`The scenario has no room "${environmentId}".`)
  const random = createRandom(seed, `survey ${environmentId}`)
  return surveySite({ size: room.size, nodes: room.nodes }, impairments, random)
}
