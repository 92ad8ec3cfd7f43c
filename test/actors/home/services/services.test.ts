import { Deferred, Effect, Fiber, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { generalServices } from "../../../../actors/home/services/general.ts"
import { applyHelperFile } from "../../../../actors/home/services/helper-entities.ts"
import { helperServices } from "../../../../actors/home/services/helpers.ts"
import { makeServiceRegistry, type ServiceRegistry } from "../../../../actors/home/services/registry.ts"
import { defineService, failed, refused } from "../../../../actors/home/services/service.ts"
import { makeStates, type States } from "../../../../actors/home/services/states.ts"
import type { BusEntry, HomeContext, JsonObject } from "../../../../protocols/domain/home.ts"
import { HomeRegistries } from "../../../../protocols/ports/home-registries.ts"
import { HomeRuntime } from "../../../../protocols/ports/home-runtime.ts"
import { layerHome } from "../../../harness/home.ts"

interface House {
  readonly registry: ServiceRegistry
  readonly states: States
  readonly heard: ReadonlyArray<BusEntry>
  readonly refreshed: ReadonlyArray<string>
  readonly context: HomeContext
  readonly call: (
    name: string,
    data?: JsonObject,
    returnResponse?: boolean,
  ) => ReturnType<ServiceRegistry["call"]>
  readonly put: (entityId: string, state: string, attributes?: JsonObject) => Effect.Effect<void, unknown>
  /** The state of an entity, with the id of its context. */
  readonly look: (entityId: string) => Effect.Effect<string | undefined, unknown>
}

const inHouse = <A, E>(
  program: (house: House) => Effect.Effect<A, E, HomeRuntime | HomeRegistries | Scope.Scope>,
): Promise<A> =>
  Effect.gen(function* () {
    const runtime = yield* HomeRuntime
    const registry = yield* makeServiceRegistry
    const states = yield* makeStates
    const heard: Array<BusEntry> = []
    const refreshed: Array<string> = []
    const refresh = (entityIds: ReadonlyArray<string>) => Effect.sync(() => void refreshed.push(...entityIds))
    const all = [...yield* generalServices(registry, states, refresh), ...yield* helperServices(states)]
    for (const service of all) yield* registry.register(service)
    const replica = yield* runtime.replica
    replica.listen((entries) => void heard.push(...entries))
    const context = yield* runtime.context("user-1")
    return yield* program({
      registry,
      states,
      heard,
      refreshed,
      context,
      call: (name, data = {}, returnResponse = false) => {
        const [domain, service] = name.split(".") as [string, string]
        return registry.call({ domain, service, data, context, returnResponse })
      },
      put: (entityId, state, attributes = {}) =>
        Effect.flatMap(runtime.context(null), (context) =>
          Effect.asVoid(runtime.write(entityId, { state, attributes, forceUpdate: false, context }))),
      look: (entityId) =>
        Effect.map(states.one(entityId), (state) => state?.state),
    })
  }).pipe(Effect.scoped, Effect.provide(layerHome), Effect.runPromise)

/** The class and the text of a failure. */
const failureOf = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  effect: Effect.Effect<A, E, R>,
) => Effect.map(Effect.flip(effect), ({ _tag, message }) => `${_tag}: ${message}`)

const typesOf = (heard: ReadonlyArray<BusEntry>) =>
  heard.map((entry) => entry.kind === "fired" ? entry.event.eventType : entry.kind)

describe("the registry of services", () => {
  const echo = (run: (data: JsonObject) => ReturnType<ServiceRegistry["call"]>, response: "none" | "only" = "none") =>
    defineService({
      domain: "test",
      name: "echo",
      response,
      fields: { level: { required: true, selector: { number: { min: 1, max: 3 } } } },
      run: ({ data }) => run(data as JsonObject),
    })

  it("checks service, use of the response and data in this order, then publishes and runs the call", () =>
    inHouse(({ call, heard, registry }) =>
      Effect.gen(function* () {
        const run: Array<JsonObject> = []
        yield* registry.register(echo((data) => Effect.sync(() => (run.push(data), data)), "only"))
        expect(yield* failureOf(call("test.nothing", { level: "x" }, true))).toBe(
          "ServiceNotFound: Service test.nothing not found.",
        )
        expect(yield* failureOf(call("test.echo", { level: 9 }))).toContain("WrongResponseUse: Service call requires")
        expect(yield* failureOf(call("test.echo", { level: 9 }, true))).toContain("InvalidServiceData")
        expect(yield* failureOf(call("test.echo", { level: 2, more: 1 }, true))).toContain("more")
        expect(run).toEqual([])
        expect(typesOf(heard)).not.toContain("call_service")
        expect(yield* call("TEST.Echo", { level: "2" }, true)).toEqual({ level: 2 })
        const reported = heard.at(-1)!
        expect(reported).toMatchObject({
          kind: "fired",
          event: {
            eventType: "call_service",
            data: { domain: "test", service: "echo", service_data: { level: "2" } },
            context: { userId: "user-1" },
          },
        })
      })
    ))

  it("gives each kind of failure its own error, and survives all of them", () =>
    inHouse(({ call, registry }) =>
      Effect.gen(function* () {
        const outcome = (run: ReturnType<ServiceRegistry["call"]>) =>
          Effect.andThen(registry.register(echo(() => run)), failureOf(call("test.echo", { level: 1 })))
        expect(yield* outcome(Effect.fail(refused("not now")))).toBe("ServiceRefused: not now")
        expect(yield* outcome(Effect.fail(failed("no power")))).toBe("ServiceFailed: no power")
        expect(yield* outcome(Effect.die(new Error("boom")))).toBe("ServiceBroke: boom")
        expect(
          yield* outcome(registry.call({
            domain: "no",
            service: "such",
            data: {},
            context: { id: "1", parentId: null, userId: null },
            returnResponse: false,
          })),
        ).toBe("ServiceFailed: Service no.such not found.")
        expect(yield* call("homeassistant.update_entity", { entity_id: "a.b" })).toBeNull()
      })
    ))

  it("lets a service finish when its caller no longer waits", () =>
    inHouse(({ call, registry }) =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const ended = yield* Deferred.make<void>()
        yield* registry.register(echo(() =>
          Deferred.succeed(begun, undefined).pipe(
            Effect.andThen(Deferred.await(go)),
            Effect.andThen(Deferred.succeed(ended, undefined)),
            Effect.as(null),
          )
        ))
        const caller = yield* Effect.forkChild(call("test.echo", { level: 1 }))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(caller)
        yield* Deferred.succeed(go, undefined)
        yield* Deferred.await(ended)
      })
    ))

  it("lists services with fields, target and response, and publishes additions and removals", () =>
    inHouse(({ heard, registry }) =>
      Effect.gen(function* () {
        const service = echo(() => Effect.succeed(null), "only")
        yield* registry.register(service)
        expect(registry.describe()["test"]).toEqual({
          echo: {
            fields: { level: { required: true, selector: { number: { min: 1, max: 3 } } } },
            response: { optional: false },
          },
        })
        expect(registry.describe()["input_number"]!["increment"]).toMatchObject({
          fields: {},
          target: { entity: [{ domain: ["input_number"] }] },
        })
        yield* registry.unregister(service)
        expect(registry.describe()).not.toHaveProperty("test")
        expect(typesOf(heard)).toEqual(["service_registered", "service_removed"])
      })
    ))
})

describe("helpers", () => {
  it("switch, under the context of the call", () =>
    inHouse(({ call, context, look, put, states }) =>
      Effect.gen(function* () {
        yield* put("input_boolean.guests", "off", { friendly_name: "Guests" })
        yield* call("input_boolean.turn_on", { entity_id: "input_boolean.Guests" })
        expect(yield* states.one("input_boolean.guests")).toMatchObject({
          state: "on",
          attributes: { friendly_name: "Guests" },
          context: { id: context.id, userId: "user-1" },
        })
        yield* call("homeassistant.toggle", { entity_id: ["input_boolean.guests", "light.unserved"] })
        expect(yield* look("input_boolean.guests")).toBe("off")
        yield* call("input_boolean.toggle", { entity_id: "all" })
        expect(yield* look("input_boolean.guests")).toBe("on")
        yield* call("input_boolean.turn_off", { entity_id: "input_boolean.absent, input_boolean.guests" })
        expect(yield* look("input_boolean.guests")).toBe("off")
        expect(yield* failureOf(call("input_boolean.turn_on"))).toContain("InvalidServiceData")
      })
    ))

  it("reach entities by device, area and label", () =>
    inHouse(({ call, look, put }) =>
      Effect.gen(function* () {
        const registries = yield* HomeRegistries
        const context = yield* (yield* HomeRuntime).context(null)
        const nothing = {
          originalName: null,
          hasEntityName: true,
          icon: null,
          entityCategory: null,
          translationKey: null,
        }
        const entry = (
          entityId: string,
          over: { deviceId?: string; areaId?: string; labels?: ReadonlyArray<string> },
        ) => ({
          ...nothing,
          entityId,
          uniqueId: entityId,
          platform: "x",
          name: null,
          deviceId: null,
          areaId: null,
          labels: [],
          ...over,
        })
        yield* registries.put("entity", [
          entry("input_boolean.a", { deviceId: "d1" }),
          entry("input_boolean.b", { areaId: "kitchen" }),
          entry("input_boolean.c", { labels: ["night"] }),
          entry("sensor.d", { deviceId: "d1" }),
        ], context)
        for (const id of ["a", "b", "c"]) yield* put(`input_boolean.${id}`, "off")
        yield* put("sensor.d", "7")
        yield* call("input_boolean.turn_on", { device_id: "d1", area_id: ["kitchen"] })
        expect([yield* look("input_boolean.a"), yield* look("input_boolean.b"), yield* look("input_boolean.c")])
          .toEqual(
            ["on", "on", "off"],
          )
        yield* call("homeassistant.turn_on", { label_id: "night" })
        expect([yield* look("input_boolean.c"), yield* look("sensor.d")]).toEqual(["on", "7"])
      })
    ))

  it("count within their limits, in exact steps, and twice for two concurrent calls", () =>
    inHouse(({ call, look, put }) =>
      Effect.gen(function* () {
        const entity_id = "input_number.n"
        yield* put(entity_id, "0.1", { min: 0, max: 0.5, step: 0.1 })
        const increment = call("input_number.increment", { entity_id })
        yield* Effect.all([increment, increment], { concurrency: 2 })
        expect(yield* look(entity_id)).toBe("0.3")
        yield* increment
        yield* increment
        yield* increment
        expect(yield* look(entity_id)).toBe("0.5")
        yield* call("input_number.set_value", { entity_id, value: "0" })
        yield* call("input_number.decrement", { entity_id })
        expect(yield* look(entity_id)).toBe("0.0")
        expect(yield* failureOf(call("input_number.set_value", { entity_id, value: 7 }))).toContain("range 0 - 0.5")
      })
    ))

  it("select among their options, with and without wrapping around", () =>
    inHouse(({ call, look, put }) =>
      Effect.gen(function* () {
        const entity_id = "input_select.mode"
        yield* put(entity_id, "Home", { options: ["Home", "Away", "Night"] })
        yield* call("input_select.select_previous", { entity_id, cycle: "off" })
        expect(yield* look(entity_id)).toBe("Home")
        yield* call("input_select.select_previous", { entity_id })
        expect(yield* look(entity_id)).toBe("Night")
        yield* call("input_select.select_next", { entity_id })
        expect(yield* look(entity_id)).toBe("Home")
        yield* call("input_select.select_last", { entity_id })
        expect(yield* look(entity_id)).toBe("Night")
        expect(yield* failureOf(call("input_select.select_option", { entity_id, option: "Party" }))).toBe(
          "ServiceRefused: Option Party is not valid for input_select.mode. Valid options are: Home, Away, Night",
        )
        yield* call("input_select.set_options", { entity_id, options: ["Day", "Dusk"] })
        expect(yield* look(entity_id)).toBe("Day")
      })
    ))

  it("come from the operator's file, keep their state over a restart, and are removed with it", () =>
    inHouse(({ context, look, put, states }) =>
      Effect.gen(function* () {
        const lay = (file: Parameters<typeof applyHelperFile>[1]) => applyHelperFile(states, file, context)
        yield* put("input_boolean.made_by_client", "on")
        yield* lay({
          input_boolean: { guests: { name: "Guests" }, alarm: { initial: true } },
          input_number: { warmth: { min: 15, max: 25, step: 0.5 } },
          input_select: { mode: { options: ["Home", "Away"] } },
        })
        expect(yield* states.one("input_number.warmth")).toMatchObject({
          state: "15.0",
          attributes: { min: 15, max: 25, step: 0.5, mode: "slider", editable: false },
        })
        const guests = (yield* states.one("input_boolean.guests"))!
        yield* put("input_boolean.guests", "on", guests.attributes)
        yield* put("input_number.warmth", "30", (yield* states.one("input_number.warmth"))!.attributes)
        yield* lay({
          input_boolean: { guests: { name: "Guests" }, alarm: { initial: true } },
          input_number: { warmth: { min: 15, max: 25, initial: 20 } },
        })
        expect(yield* look("input_boolean.guests")).toBe("on")
        expect(yield* look("input_number.warmth")).toBe("20.0")
        expect(yield* look("input_select.mode")).toBeUndefined()
        expect(yield* look("input_boolean.made_by_client")).toBe("on")
      })
    ))
})

describe("general services", () => {
  it("apply a scene by the services of the domains, and write entities without a service", () =>
    inHouse(({ call, look, put, states }) =>
      Effect.gen(function* () {
        yield* put("input_boolean.a", "off")
        yield* put("input_number.n", "1.0", { min: 0, max: 10 })
        yield* put("light.lamp", "off", { friendly_name: "Lamp" })
        yield* call("scene.apply", {
          entities: {
            "input_boolean.a": true,
            "input_number.n": 4,
            "light.lamp": { state: "on", brightness: 120 },
          },
        })
        expect([yield* look("input_boolean.a"), yield* look("input_number.n")]).toEqual(["on", "4.0"])
        expect(yield* states.one("light.lamp")).toMatchObject({
          state: "on",
          attributes: { brightness: 120, friendly_name: "Lamp" },
        })
        expect(yield* failureOf(call("scene.apply", { entities: ["a"] }))).toContain("InvalidServiceData")
      })
    ))

  it("show notes until they are dismissed", () =>
    inHouse(({ call, look, states }) =>
      Effect.gen(function* () {
        yield* call("persistent_notification.create", {
          message: "Door open",
          title: "Door",
          notification_id: "Door-1",
        })
        yield* call("persistent_notification.create", { message: "No id" })
        expect(yield* states.one("persistent_notification.door_1")).toMatchObject({
          state: "notifying",
          attributes: { message: "Door open", title: "Door" },
        })
        expect(yield* states.idsOf(["persistent_notification"])).toHaveLength(2)
        yield* call("persistent_notification.dismiss", { notification_id: "Door-1" })
        expect(yield* look("persistent_notification.door_1")).toBeUndefined()
        yield* call("persistent_notification.dismiss_all")
        expect(yield* states.idsOf(["persistent_notification"])).toEqual([])
      })
    ))

  it("ask the owners of entities to update them", () =>
    inHouse(({ call, refreshed }) =>
      Effect.gen(function* () {
        yield* call("homeassistant.update_entity", { entity_id: ["sensor.a", "sensor.b"] })
        expect(refreshed).toEqual(["sensor.a", "sensor.b"])
      })
    ))
})
