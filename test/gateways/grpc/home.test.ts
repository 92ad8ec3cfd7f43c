/** `HomeService`: states and services of the home over gRPC. */
import * as grpc from "@grpc/grpc-js"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { makeHomeMethods } from "../../../gateways/grpc/home.ts"
import { codecOf, type Json } from "../../../protocols/grpc/contract/transcode.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { until } from "../cluster.ts"
import { callUnary, metadata, openStream, withClient } from "./clients.ts"
import { layerHomeWithServices } from "./home-services.ts"
import { withServer } from "./moody-routers.ts"

const { INTERNAL, INVALID_ARGUMENT, NOT_FOUND, OK, PERMISSION_DENIED } = grpc.status
const viewer = metadata({ "x-api-key": "viewer" })

const call = (client: grpc.Client, method: string, request: Json, credentials?: grpc.Metadata) =>
  callUnary(client, "HomeService", method, request, credentials)

describe("gRPC edge: HomeService", () => {
  it("sets and lists states, with attributes of any JSON", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const attributes = { unit: "°C", list: [1, null, { deep: true }], note: null, half: 0.5 }
          const set = yield* call(client, "SetHomeState", {
            entity_id: "sensor.kitchen",
            state: "21.5",
            attributes,
          })
          expect(set.answer).toMatchObject({
            created: true,
            state: { entity_id: "sensor.kitchen", state: "21.5", attributes, context: { user_id: "operator" } },
          })
          yield* call(client, "SetHomeState", { entity_id: "sensor.hall", state: "19" })
          const all = yield* call(client, "ListHomeStates", {}, viewer)
          const one = yield* call(client, "ListHomeStates", { entity_ids: ["SENSOR.hall", "sensor.none"] }, viewer)
          const idsOf = ({ answer }: typeof all) =>
            (answer!["states"] as ReadonlyArray<Json>).map(({ entity_id }) => entity_id)
          expect(idsOf(all)).toEqual(["sensor.kitchen", "sensor.hall"])
          expect(idsOf(one)).toEqual(["sensor.hall"])
          expect((yield* call(client, "SetHomeState", { entity_id: "kitchen", state: "1" })).code).toBe(
            INVALID_ARGUMENT,
          )
          expect((yield* call(client, "SetHomeState", {}, viewer)).code).toBe(PERMISSION_DENIED)
        }))
    ))

  it("streams the states at the start, then every change of its entities in order", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const set = (entity_id: string, state: string) => call(client, "SetHomeState", { entity_id, state })
          yield* set("light.a", "off")
          yield* set("light.b", "off")
          const one = openStream(client, "HomeService", "WatchHomeStates", { entity_ids: ["light.a"] }, viewer)
          const all = openStream(client, "HomeService", "WatchHomeStates", {}, viewer)
          yield* until(() => one.answers.length === 1 && all.answers.length === 2)
          yield* set("light.b", "on")
          yield* set("light.a", "on")
          yield* set("light.a", "dim")
          yield* until(() => one.answers.length === 3 && all.answers.length === 5)
          const seen = ({ answers }: typeof one) =>
            answers.map(({ entity_id, initial, state }) => [entity_id, (state as Json)["state"], initial === true])
          expect(seen(one)).toEqual([["light.a", "off", true], ["light.a", "on", false], ["light.a", "dim", false]])
          expect(seen(all).slice(2)).toEqual([
            ["light.b", "on", false],
            ["light.a", "on", false],
            ["light.a", "dim", false],
          ])
          one.call.cancel()
          all.call.cancel()
        }))
    ))

  it("streams the states of a home with more entities than changes may wait", () =>
    Effect.gen(function* () {
      const { context, write } = yield* HomeRuntime
      const order = { attributes: {}, forceUpdate: false, context: yield* context(null) }
      const set = (entityId: string, state: string) => write(entityId, { ...order, state })
      const ids = Array.from({ length: 5_000 }, (_, i) => `sensor.s${i}`)
      yield* Effect.forEach(ids, (id) => set(id, "1"), { discard: true })
      const { decode } = codecOf("WatchHomeStatesResponse")
      const watching = yield* (yield* makeHomeMethods).watch(new Uint8Array()).pipe(
        Stream.map(decode),
        // A change while the states are sent comes after all of them.
        Stream.tap(({ entity_id }) => entity_id === ids[0] ? set(ids[1]!, "2") : Effect.void),
        Stream.take(5_001),
        Stream.runCollect,
      )
      const seen = watching.map((
        { entity_id, initial, state },
      ) => [entity_id, (state as Json)["state"], initial === true])
      expect(seen).toEqual([...ids.map((id) => [id, "1", true]), [ids[1], "2", false]])
    }).pipe(Effect.provide(layerHomeWithServices), Effect.orDie, Effect.runPromise))

  it("ends the stream of a client that leaves more changes unread than may wait", () =>
    Effect.gen(function* () {
      const { context, write } = yield* HomeRuntime
      const order = { attributes: {}, forceUpdate: false, context: yield* context(null) }
      yield* write("sensor.s", { ...order, state: "first" })
      const flood = Effect.forEach(
        Array.from({ length: 4_097 }, (_, i) => String(i)),
        (state) => write("sensor.s", { ...order, state }),
        { discard: true },
      )
      const end = yield* (yield* makeHomeMethods).watch(new Uint8Array()).pipe(
        Stream.zipWithIndex,
        Stream.tap(([, index]) => index === 0 ? flood : Effect.void),
        Stream.runDrain,
        Effect.flip,
      )
      expect(end).toMatchObject({ _tag: "Overloaded", limit: 4_096 })
    }).pipe(Effect.provide(layerHomeWithServices), Effect.orDie, Effect.runPromise))

  it("lists and calls services; each failure has its status", () =>
    withServer(({ port }) =>
      withClient(port, (client) =>
        Effect.gen(function* () {
          const listed = yield* call(client, "ListHomeServices", {}, viewer)
          expect(listed.answer!["services"]).toContainEqual(
            expect.objectContaining({ domain: "input_boolean", service: "turn_on", fields: expect.any(Object) }),
          )
          yield* call(client, "SetHomeState", { entity_id: "input_boolean.guest", state: "off" })
          const data = { entity_id: "input_boolean.guest" }
          const request = { domain: "input_boolean", service: "turn_on", data }
          expect((yield* call(client, "CallHomeService", request)).code).toBe(OK)
          const { answer } = yield* call(client, "ListHomeStates", { entity_ids: ["input_boolean.guest"] })
          expect(answer!["states"]).toMatchObject([{ state: "on", context: { user_id: "operator" } }])
          const answered = yield* call(client, "CallHomeService", {
            domain: "test",
            service: "answer",
            return_response: true,
          })
          expect(answered.answer).toEqual({ response: { answer: 42 } })
          const codeOf = (request: Json, credentials?: grpc.Metadata) =>
            Effect.map(call(client, "CallHomeService", request, credentials), ({ code }) => code)
          expect(yield* codeOf({ domain: "test", service: "none" })).toBe(NOT_FOUND)
          expect(yield* codeOf({ domain: "test", service: "answer" })).toBe(INVALID_ARGUMENT)
          expect(yield* codeOf({ ...request, data: { ...data, wrong: 1 } })).toBe(INVALID_ARGUMENT)
          expect(yield* codeOf({ domain: "test", service: "fail" })).toBe(INTERNAL)
          expect(yield* codeOf(request, viewer)).toBe(PERMISSION_DENIED)
        }))
    ))
})
