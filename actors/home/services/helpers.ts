/**
 * Services of the helpers that people make themselves: switches (`input_boolean`), numbers (`input_number`) and choices (`input_select`).
 *
 * A helper's definition is in its attributes (`min`, `max`, `step`, `options`), so that these services serve every entity of
 * their domains, whether `helper-entities.ts` or a client made it. An entity that is not there is passed over, and said in the log.
 */
import { Effect } from "effect"
import type { DataOf, Fields } from "../../../protocols/domain/service-field.ts"
import { domainOf, type EntityState } from "../../../protocols/domain/home.ts"
import { type CheckedCall, defineService, refused, type Service } from "./service.ts"
import { invalidValue, type NextState, type StateFailure, type States } from "./states.ts"
import { resolveTarget } from "./target.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"

type Move<Data> = (present: EntityState, data: Data) => Effect.Effect<NextState, StateFailure>

interface Helper<F extends Fields> {
  readonly name: string
  readonly text: string
  readonly fields: F
  readonly move: Move<DataOf<F>>
}

const to = (state: string): Effect.Effect<NextState> => Effect.succeed({ state })

const numberOf = (value: unknown, fallback: number): number => typeof value === "number" ? value : fallback

/** A number as these entities have always shown it: with a decimal. */
export const decimal = (value: number): string => Number.isInteger(value) ? value.toFixed(1) : String(value)

/** A number within an entity's limits. */
const within = ({ attributes, entityId }: EntityState, value: number): Effect.Effect<NextState, StateFailure> => {
  const min = numberOf(attributes["min"], -Infinity)
  const max = numberOf(attributes["max"], Infinity)
  return value < min || value > max
    ? Effect.fail(invalidValue(`Invalid value for ${entityId}: ${value} (range ${min} - ${max})`))
    : to(decimal(value))
}

/** A step up or down, as far as the limits let it. Decimals are those of the step, so that ten steps of 0.1 are 1. */
const stepped = (present: EntityState, direction: 1 | -1): Effect.Effect<NextState, StateFailure> => {
  const value = Number(present.state)
  if (present.state.trim() === "" || !Number.isFinite(value)) {
    return Effect.fail(refused(`${present.entityId} is ${present.state}: set a value first.`))
  }
  const step = numberOf(present.attributes["step"], 1)
  const next = Number((value + direction * step).toPrecision(12))
  const min = numberOf(present.attributes["min"], -Infinity)
  const max = numberOf(present.attributes["max"], Infinity)
  return to(decimal(Math.min(max, Math.max(min, next))))
}

const optionsOf = ({ attributes }: EntityState): ReadonlyArray<string> => {
  const options = attributes["options"]
  return Array.isArray(options) ? options.map(String) : []
}

const choose = (present: EntityState, option: string): Effect.Effect<NextState, StateFailure> => {
  const options = optionsOf(present)
  return options.includes(option)
    ? to(option)
    : Effect.fail(refused(`Invalid option: ${option} (possible options: ${options.join(", ")})`))
}

/** The option so many places on; at an end it goes round where `cycle` says so, else it stays. */
const move = (present: EntityState, places: 1 | -1, cycle: boolean): Effect.Effect<NextState, StateFailure> => {
  const options = optionsOf(present)
  if (options.length === 0) return Effect.fail(refused(`${present.entityId} has no options.`))
  const next = options.indexOf(present.state) + places
  const last = options.length - 1
  const at = cycle ? (next + options.length) % options.length : Math.min(last, Math.max(0, next))
  return to(options[at]!)
}

const none = {} as const
const helper = <const F extends Fields>(
  name: string,
  text: string,
  fields: F,
  move: Move<DataOf<F>>,
): Helper<F> => ({ name, text, fields, move })

const cycleField = {
  cycle: { selector: { boolean: {} }, description: "Goes round at an end; it does by default." },
} as const

const switches = [
  helper("turn_on", "Turns a switch on.", none, () => to("on")),
  helper("turn_off", "Turns a switch off.", none, () => to("off")),
  helper(
    "toggle",
    "Turns a switch that is on off, and any other on.",
    none,
    ({ state }) => to(state === "on" ? "off" : "on"),
  ),
]

const numbers = [
  helper(
    "set_value",
    "Sets a number within its limits.",
    { value: { required: true, selector: { number: { mode: "box" } }, description: "The number.", example: 42 } },
    (present, { value }) => within(present, value),
  ),
  helper("increment", "Adds a step to a number.", none, (present) => stepped(present, 1)),
  helper("decrement", "Takes a step from a number.", none, (present) => stepped(present, -1)),
]

const choices = [
  helper(
    "select_option",
    "Chooses an option.",
    { option: { required: true, selector: { text: {} }, description: "One of the options." } },
    (present, { option }) => choose(present, option),
  ),
  helper(
    "select_next",
    "Chooses the option after the present one.",
    cycleField,
    (present, { cycle = true }) => move(present, 1, cycle),
  ),
  helper(
    "select_previous",
    "Chooses the option before the present one.",
    cycleField,
    (present, { cycle = true }) => move(present, -1, cycle),
  ),
  helper(
    "select_first",
    "Chooses the first option.",
    none,
    (present) => choose(present, optionsOf(present).at(0) ?? ""),
  ),
  helper(
    "select_last",
    "Chooses the last option.",
    none,
    (present) => choose(present, optionsOf(present).at(-1) ?? ""),
  ),
  helper(
    "set_options",
    "Replaces the options; the present one stays where it is still there, else the first is chosen.",
    {
      options: { required: true, selector: { object: {} }, description: "A list of texts.", example: ["Home", "Away"] },
    },
    (present, { options }) => {
      const list = Array.isArray(options) ? [...new Set(options.map(String))] : []
      if (list.length === 0) return Effect.fail(invalidValue("options is a list of at least one text."))
      return Effect.succeed({
        state: list.includes(present.state) ? present.state : list[0]!,
        attributes: { ...present.attributes, options: list },
      })
    },
  ),
]

/** The services of all helpers. */
export const helperServices = Effect.fnUntraced(function* (states: States) {
  const registries = yield* HomeRegistries

  const apply = Effect.fnUntraced(function* <F extends Fields>(
    domain: string,
    { move }: Helper<F>,
    { context, data, target }: CheckedCall<DataOf<F>>,
  ) {
    const all = target.entityIds === null ? yield* states.idsOf([domain]) : []
    const entityIds = yield* resolveTarget(target, all, [domain]).pipe(
      Effect.provideService(HomeRegistries, registries),
    )
    for (const entityId of entityIds) {
      if (domainOf(entityId) !== domain || (yield* states.one(entityId)) === null) {
        yield* Effect.logWarning(`${domain}: the entity ${entityId} is not there, or not of this domain`)
        continue
      }
      const next = (present: EntityState | null) =>
        present === null ? Effect.fail(refused(`${entityId} was removed meanwhile.`)) : move(present, data)
      yield* states.put(entityId, next, context)
    }
    return null
  })

  const servicesOf = <F extends Fields>(domain: string, helpers: ReadonlyArray<Helper<F>>): ReadonlyArray<Service> =>
    helpers.map((each) =>
      defineService({
        domain,
        name: each.name,
        text: each.text,
        fields: each.fields,
        target: { required: true, domains: [domain] },
        run: (call) => apply(domain, each, call as CheckedCall<DataOf<F>>),
      })
    )

  return [
    ...servicesOf("input_boolean", switches),
    ...servicesOf("input_number", numbers as ReadonlyArray<Helper<Fields>>),
    ...servicesOf("input_select", choices as ReadonlyArray<Helper<Fields>>),
  ]
})
