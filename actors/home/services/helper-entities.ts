/**
 * Helpers that the operator defines in a file: the file's schema, and the creation of their entities.
 *
 * A helper keeps its state over a restart, unless it has an `initial` state. A helper that is no longer in the file is removed. Helpers of the
 * file have the attribute `editable: false`; helpers that clients created are not changed.
 */
import { Effect, Schema } from "effect"
import type { EntityState, HomeContext, JsonObject } from "../../../protocols/domain/home.ts"
import { decimalText } from "./helpers.ts"
import type { States } from "./states.ts"

const Slug = Schema.String.check(Schema.isPattern(/^(?!_)(?!.*__)[a-z0-9_]{1,64}(?<!_)$/))
const Name = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))
const shown = { name: Schema.optionalKey(Name), icon: Schema.optionalKey(Name) }
const Options = Schema.Array(Name).check(Schema.isMinLength(1), Schema.isMaxLength(256), Schema.isUnique())

const InputBoolean = Schema.Struct({ ...shown, initial: Schema.optionalKey(Schema.Boolean) })
const InputNumber = Schema.Struct({
  ...shown,
  min: Schema.Finite,
  max: Schema.Finite,
  step: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0.001))),
  initial: Schema.optionalKey(Schema.Finite),
  mode: Schema.optionalKey(Schema.Literals(["slider", "box"])),
  unit_of_measurement: Schema.optionalKey(Name),
}).check(
  Schema.makeFilter(
    ({ initial, max, min }) => min < max && (initial === undefined || (initial >= min && initial <= max)),
    { expected: "min below max, and initial between them" },
  ),
)
const InputSelect = Schema.Struct({ ...shown, options: Options, initial: Schema.optionalKey(Name) }).check(
  Schema.makeFilter(({ initial, options }) => initial === undefined || options.includes(initial), {
    expected: "initial among the options",
  }),
)

/** The content of the file: helpers by object id. */
export const HelperFile = Schema.Struct({
  input_boolean: Schema.optionalKey(Schema.Record(Slug, InputBoolean)),
  input_number: Schema.optionalKey(Schema.Record(Slug, InputNumber)),
  input_select: Schema.optionalKey(Schema.Record(Slug, InputSelect)),
})
export type HelperFile = typeof HelperFile.Type

/** An entity that the file defines. */
interface HelperEntity {
  readonly entityId: string
  readonly attributes: JsonObject
  /** The state at start, given the previous state (null: none). */
  readonly state: (present: string | null) => string
}

const commonOf = ({ icon, name }: { readonly name?: string; readonly icon?: string }): JsonObject => ({
  editable: false,
  ...(name === undefined ? {} : { friendly_name: name }),
  ...(icon === undefined ? {} : { icon }),
})

const booleanOf = (entityId: string, definition: typeof InputBoolean.Type): HelperEntity => ({
  entityId,
  attributes: commonOf(definition),
  state: (present) => {
    if (definition.initial !== undefined) return definition.initial ? "on" : "off"
    return present === "on" ? "on" : "off"
  },
})

const numberOf = (entityId: string, definition: typeof InputNumber.Type): HelperEntity => {
  const { initial = null, max, min, mode = "slider", step = 1, unit_of_measurement } = definition
  return {
    entityId,
    attributes: {
      ...commonOf(definition),
      ...{ initial, min, max, step, mode },
      ...(unit_of_measurement === undefined ? {} : { unit_of_measurement }),
    },
    state: (present) => {
      const kept = present === null || present.trim() === "" ? NaN : Number(present)
      return decimalText(initial ?? (kept >= min && kept <= max ? kept : min))
    },
  }
}

const selectOf = (entityId: string, definition: typeof InputSelect.Type): HelperEntity => {
  const { initial, options } = definition
  return {
    entityId,
    attributes: { ...commonOf(definition), options: [...options] },
    state: (present) => initial ?? (present !== null && options.includes(present) ? present : options[0]!),
  }
}

const entitiesOf = ({ input_boolean = {}, input_number = {}, input_select = {} }: HelperFile) => [
  ...Object.entries(input_boolean).map(([id, definition]) => booleanOf(`input_boolean.${id}`, definition)),
  ...Object.entries(input_number).map(([id, definition]) => numberOf(`input_number.${id}`, definition)),
  ...Object.entries(input_select).map(([id, definition]) => selectOf(`input_select.${id}`, definition)),
]

const isFromFile = ({ attributes }: EntityState): boolean => attributes["editable"] === false

/** Creates, updates and removes entities so that they match the file. */
export const applyHelperFile = Effect.fnUntraced(function* (states: States, file: HelperFile, context: HomeContext) {
  const wanted = entitiesOf(file)
  for (const { attributes, entityId, state } of wanted) {
    const next = (present: EntityState | null) => Effect.succeed({ state: state(present?.state ?? null), attributes })
    yield* states.put(entityId, next, context)
  }
  const kept = new Set(wanted.map(({ entityId }) => entityId))
  for (const entityId of yield* states.idsOf(["input_boolean", "input_number", "input_select"])) {
    const present = kept.has(entityId) ? null : yield* states.one(entityId)
    if (present !== null && isFromFile(present)) yield* states.remove(entityId, context)
  }
})
