/**
 * Services for entities of any domain: on, off, toggle, an update, a scene, and notes for people (`persistent_notification`).
 *
 * `homeassistant.turn_on`, `turn_off` and `toggle` call the service of that name in each entity's own domain; an entity whose domain has none
 * is skipped and logged.
 */
import { Clock, Effect, Schema } from "effect"
import { domainOf, homeTime, type JsonObject } from "../../../protocols/domain/home.ts"
import { HomeRegistries } from "../../../protocols/ports/home-registries.ts"
import { HomeRuntime, type HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import type { ServiceRegistry } from "./registry.ts"
import { type CheckedCall, defineService, type Service } from "./service.ts"
import { invalidValue, type States } from "./states.ts"
import { resolveTarget } from "./target.ts"

/** Asks the plugins of these entities to update their states. */
type Refresh = (entityIds: ReadonlyArray<string>) => Effect.Effect<void>

const anyEntity = { required: true, domains: [] } as const

const grouped = (entityIds: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> =>
  Map.groupBy(entityIds, domainOf)

/** Which entities a call is about. */
type IdsOf = (call: CheckedCall<unknown>) => Effect.Effect<ReadonlyArray<string>, HomeUnavailable>

/** `homeassistant.turn_on` and the similar services. */
const switching = (registry: ServiceRegistry, idsOf: IdsOf) => {
  const handOn = (name: string, text: string): Service =>
    defineService({
      domain: "homeassistant",
      name,
      text,
      fields: {},
      target: anyEntity,
      open: true,
      run: (call) =>
        Effect.gen(function* () {
          const { context, rest } = call
          for (const [domain, entity_id] of grouped(yield* idsOf(call))) {
            // An entity of this very domain would call itself for ever.
            if (domain === "homeassistant" || !registry.has(domain, name)) {
              yield* Effect.logWarning(`homeassistant.${name}: nothing serves ${entity_id.join(", ")}`)
              continue
            }
            yield* registry.call({
              domain,
              service: name,
              data: { ...rest, entity_id: [...entity_id] },
              context,
              returnResponse: false,
            })
          }
          return null
        }),
    })
  return [
    handOn("turn_on", "Turns entities on."),
    handOn("turn_off", "Turns entities off."),
    handOn("toggle", "Turns entities that are on off, and others on."),
  ]
}

const idsOfAll = Effect.fnUntraced(function* (states: States, { target }: CheckedCall<unknown>) {
  const all = target.entityIds === null ? yield* states.idsOf(null) : []
  return yield* resolveTarget(target, all, null)
})

/** The state of an entity in a scene, with or without attributes. */
const Wanted = Schema.Record(
  Schema.String,
  Schema.Union([
    Schema.String,
    Schema.Finite,
    Schema.Boolean,
    Schema.StructWithRest(Schema.Struct({ state: Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]) }), [
      Schema.Record(Schema.String, Schema.Json),
    ]),
  ]),
)
const decodeWanted = Schema.decodeUnknownEffect(Wanted)

const stateText = (state: string | number | boolean): string =>
  state === true ? "on" : state === false ? "off" : String(state)

/** The service that brings an entity of a domain to a state, and its data; null: the state is written directly. */
const serviceFor = (domain: string, state: string): readonly [name: string, data: JsonObject] | null => {
  if (domain === "input_number") return ["set_value", { value: Number(state) }]
  if (domain === "input_select") return ["select_option", { option: state }]
  return state === "on" ? ["turn_on", {}] : state === "off" ? ["turn_off", {}] : null
}

const scene = (registry: ServiceRegistry, states: States): Service =>
  defineService({
    domain: "scene",
    name: "apply",
    text: "Brings entities to states: by the services of their domains, or by writing them where nothing serves them.",
    fields: {
      entities: {
        required: true,
        selector: { object: {} },
        description: "Entity ids with the state of each, or with its state and attributes.",
        example: { "input_boolean.guests": "on", "input_select.mode": { state: "Away" } },
      },
      transition: { selector: { number: { min: 0, max: 300, unit_of_measurement: "seconds" } } },
    },
    run: ({ context, data }) =>
      Effect.gen(function* () {
        const wanted = yield* decodeWanted(data.entities).pipe(
          Effect.mapError((error) => invalidValue(`entities: ${error.message}`)),
        )
        for (const [id, value] of Object.entries(wanted)) {
          const entityId = id.toLowerCase()
          const { state, ...attributes } = typeof value === "object" ? value : { state: value }
          const domain = domainOf(entityId)
          const served = serviceFor(domain, stateText(state))
          if (served !== null && registry.has(domain, served[0])) {
            const { transition } = data
            const more = transition === undefined || domain.startsWith("input_") ? {} : { ...attributes, transition }
            const call = { domain, service: served[0], context, returnResponse: false }
            yield* registry.call({ ...call, data: { ...served[1], ...more, entity_id: entityId } })
          } else {
            const next = { state: stateText(state) }
            yield* states.put(
              entityId,
              (present) => Effect.succeed({ ...next, attributes: { ...present?.attributes, ...attributes } }),
              context,
            )
          }
        }
        return null
      }),
  })

const notificationId = /^[a-z0-9_]{1,64}$/

/** A note's id as part of an entity id. */
const slugOf = (text: string): string =>
  text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "").slice(0, 64)

const idOf = (given: string) => {
  const id = slugOf(given)
  return notificationId.test(id)
    ? Effect.succeed(`persistent_notification.${id}`)
    : Effect.fail(invalidValue(`notification_id "${given}" has no letter or digit.`))
}

const notifications = (states: States, newId: Effect.Effect<string>): ReadonlyArray<Service> => [
  defineService({
    domain: "persistent_notification",
    name: "create",
    text: "Shows people a note until it is dismissed.",
    fields: {
      message: { required: true, selector: { text: { multiline: true } }, description: "The note." },
      title: { selector: { text: {} }, description: "Its title." },
      notification_id: { selector: { text: {} }, description: "A note of the same id is replaced." },
    },
    run: ({ context, data: { message, notification_id, title } }) =>
      Effect.gen(function* () {
        const entityId = yield* idOf(notification_id ?? (yield* newId))
        const created_at = homeTime(1000 * (yield* Clock.currentTimeMillis))
        const attributes = { message, ...(title === undefined ? {} : { title, friendly_name: title }), created_at }
        yield* states.put(entityId, () => Effect.succeed({ state: "notifying", attributes }), context)
        return null
      }),
  }),
  defineService({
    domain: "persistent_notification",
    name: "dismiss",
    text: "Takes a note away.",
    fields: { notification_id: { required: true, selector: { text: {} } } },
    run: ({ context, data }) =>
      Effect.gen(function* () {
        yield* states.remove(yield* idOf(data.notification_id), context)
        return null
      }),
  }),
  defineService({
    domain: "persistent_notification",
    name: "dismiss_all",
    text: "Takes all notes away.",
    fields: {},
    run: ({ context }) =>
      Effect.gen(function* () {
        for (const entityId of yield* states.idsOf(["persistent_notification"])) yield* states.remove(entityId, context)
        return null
      }),
  }),
]

/** The services of this file. */
export const generalServices = Effect.fnUntraced(function* (
  registry: ServiceRegistry,
  states: States,
  refresh: Refresh,
) {
  const registries = yield* HomeRegistries
  const runtime = yield* HomeRuntime
  const idsOf: IdsOf = (call) => idsOfAll(states, call).pipe(Effect.provideService(HomeRegistries, registries))
  const update = defineService({
    domain: "homeassistant",
    name: "update_entity",
    text: "Updates the states of entities.",
    fields: {},
    target: anyEntity,
    run: (call) => Effect.flatMap(idsOf(call), (entityIds) => Effect.as(refresh(entityIds), null)),
  })
  // The id of a new context is as good as any for a note without one.
  const newId = Effect.map(runtime.context(null), ({ id }) => id)
  return [...switching(registry, idsOf), update, scene(registry, states), ...notifications(states, newId)]
})
