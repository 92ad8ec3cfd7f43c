/**
 * Services of helpers, which are entities that users define: switches (`input_boolean`), numbers (`input_number`) and choices
 * (`input_select`).
 *
 * A helper's definition is in its attributes (`min`, `max`, `step`, `options`), so these services accept every entity of their domains,
 * whether `helper-entities.ts` or a client created it. A missing entity is skipped and logged.
 */
import { Effect } from "effect"
import { inexactNumber } from "../../../protocols/domain/exact-json.ts"
import type { DataOf, Fields } from "../../../protocols/domain/service-field.ts"
import { domainOf, type EntityState } from "../../../protocols/domain/home.ts"
import { type CheckedCall, defineService, refused, type Service } from "./service.ts"
import { invalidValue, type NextState, type StateFailure, type States } from "./states.ts"
import { resolveTarget } from "./target.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"

type Transition<Data> = (present: EntityState, data: Data) => Effect.Effect<NextState, StateFailure>

interface Helper<F extends Fields> {
  readonly name: string
  readonly text: string
  readonly fields: F
  readonly transition: Transition<DataOf<F>>
}

const to = (state: string): Effect.Effect<NextState> => Effect.succeed({ state })

const numberOf = (given: unknown, fallback: number): number => {
  const value = inexactNumber(given)
  return typeof value === "number" ? value : fallback
}

/** A number as the state of an `input_number`: always with a decimal. */
export const decimalText = (value: number): string => Number.isInteger(value) ? value.toFixed(1) : String(value)

/** A number as the next state, if it is within the entity's limits. */
const within = ({ attributes, entityId }: EntityState, value: number): Effect.Effect<NextState, StateFailure> => {
  const min = numberOf(attributes["min"], -Infinity)
  const max = numberOf(attributes["max"], Infinity)
  return value < min || value > max
    ? Effect.fail(invalidValue(`Invalid value for ${entityId}: ${value} (range ${min} - ${max})`))
    : to(decimalText(value))
}

/** The state one step up or down, clamped to the limits. Rounded to 12 digits, so that ten steps of 0.1 are 1. */
const stepped = (present: EntityState, direction: 1 | -1): Effect.Effect<NextState, StateFailure> => {
  const value = Number(present.state)
  if (present.state.trim() === "" || !Number.isFinite(value)) {
    return Effect.fail(refused(`${present.entityId} is ${present.state} and not a number: call set_value first.`))
  }
  const step = numberOf(present.attributes["step"], 1)
  const next = Number((value + direction * step).toPrecision(12))
  const min = numberOf(present.attributes["min"], -Infinity)
  const max = numberOf(present.attributes["max"], Infinity)
  return to(decimalText(Math.min(max, Math.max(min, next))))
}

const optionsOf = ({ attributes }: EntityState): ReadonlyArray<string> => {
  const options = attributes["options"]
  return Array.isArray(options) ? options.map(String) : []
}

const invalidOption = (entity_id: string, option: string, options: string) =>
  refused(`Option ${option} is not valid for ${entity_id}. Valid options are: ${options}`, {
    domain: "input_select",
    key: "invalid_option",
    placeholders: { entity_id, option, options },
  })

/** The texts that are in a list more than once; null if there is none. */
const duplicatesIn = (list: ReadonlyArray<string>): string | null => {
  const found = list.filter((option, i) => list.indexOf(option) !== i)
  return found.length === 0 ? null : [...new Set(found)].sort().join(", ")
}

const duplicateOptions = (entity_id: string, duplicates: string) =>
  refused(`Options for ${entity_id} contain duplicates: ${duplicates}`, {
    domain: "input_select",
    key: "duplicate_options",
    placeholders: { entity_id, duplicates },
  })

const choose = (present: EntityState, option: string): Effect.Effect<NextState, StateFailure> => {
  const options = optionsOf(present)
  return options.includes(option)
    ? to(option)
    : Effect.fail(invalidOption(present.entityId, option, options.join(", ")))
}

/** Selects the option `places` further. At an end, the selection wraps around if `cycle` is true, else it stays. */
const moveSelection = (
  present: EntityState,
  places: 1 | -1,
  cycle: boolean,
): Effect.Effect<NextState, StateFailure> => {
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
  transition: Transition<DataOf<F>>,
): Helper<F> => ({ name, text, fields, transition })

const cycleField = {
  cycle: { selector: { boolean: {} }, description: "Whether the selection wraps around at an end. Default true." },
} as const

const switches = [
  helper("turn_on", "Turns a switch on.", none, () => to("on")),
  helper("turn_off", "Turns a switch off.", none, () => to("off")),
  helper(
    "toggle",
    "Turns a switch off if it is on, else on.",
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
  helper("decrement", "Subtracts a step from a number.", none, (present) => stepped(present, -1)),
]

const choices = [
  helper(
    "select_option",
    "Selects an option.",
    { option: { required: true, selector: { text: {} }, description: "One of the options." } },
    (present, { option }) => choose(present, option),
  ),
  helper(
    "select_next",
    "Selects the next option.",
    cycleField,
    (present, { cycle = true }) => moveSelection(present, 1, cycle),
  ),
  helper(
    "select_previous",
    "Selects the previous option.",
    cycleField,
    (present, { cycle = true }) => moveSelection(present, -1, cycle),
  ),
  helper(
    "select_first",
    "Selects the first option.",
    none,
    (present) => choose(present, optionsOf(present).at(0) ?? ""),
  ),
  helper(
    "select_last",
    "Selects the last option.",
    none,
    (present) => choose(present, optionsOf(present).at(-1) ?? ""),
  ),
  helper(
    "set_options",
    "Replaces the options. The current option stays selected if it is still in the list, else the first one is selected.",
    {
      options: { required: true, selector: { object: {} }, description: "A list of texts.", example: ["Home", "Away"] },
    },
    (present, { options }) => {
      const list = Array.isArray(options) ? options.map(String) : []
      const duplicates = duplicatesIn(list)
      if (duplicates !== null) return Effect.fail(duplicateOptions(present.entityId, duplicates))
      if (list.length === 0) return Effect.fail(invalidValue("options must be a list of at least one text."))
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
    { transition }: Helper<F>,
    { context, data, target }: CheckedCall<DataOf<F>>,
  ) {
    const all = target.entityIds === null ? yield* states.idsOf([domain]) : []
    const entityIds = yield* resolveTarget(target, all, [domain]).pipe(
      Effect.provideService(HomeRegistries, registries),
    )
    for (const entityId of entityIds) {
      if (domainOf(entityId) !== domain || (yield* states.one(entityId)) === null) {
        yield* Effect.logWarning(`skipping ${entityId}: no such entity in the domain ${domain}`)
        continue
      }
      const next = (present: EntityState | null) =>
        present === null ? Effect.fail(refused(`${entityId} was removed during the call.`)) : transition(present, data)
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
