/**
 * `HomeService`: states and services of the home-automation runtime.
 *
 * Invariant: a watcher has every change of its entities in the order of the bus, after the states at the start of its stream. A watcher
 * that leaves too many unread ends with `Overloaded`.
 */
import { Cause, Effect, Queue, Schema, Stream } from "effect"
import { inexactJson } from "../../protocols/domain/exact-json.ts"
import type { Caller } from "../../protocols/domain/identity.ts"
import { type EntityState, homeTime, type JsonObject } from "../../protocols/domain/home.ts"
import { ServiceFailure } from "../../protocols/domain/home-failure.ts"
import { codecOf, type Json } from "../../protocols/grpc/contract/transcode.ts"
import { InvalidRequest, Overloaded, ResourceNotFound, Unexpected } from "../../protocols/pose-api/edge-failures.ts"
import { HomeRuntime } from "../../protocols/ports/home-runtime.ts"
import type { ServiceDescriptions } from "../../protocols/domain/service-description.ts"
import { HomeServices } from "../../protocols/ports/home-services.ts"
import { readRequest } from "./calls.ts"
import type { CallFailure } from "./status.ts"

/** Changes that wait for one client. The states at the start of its stream are read from a list, and do not count. */
const waitingMax = 4_096

const tooSlow = new Overloaded({
  limit: waitingMax,
  message: `${waitingMax} changes wait for this client, which is the limit. Read faster, and open the stream again.`,
})

const stateOf = ({ attributes, context, entityId, state, ...times }: EntityState): Json => ({
  entity_id: entityId,
  state,
  attributes: inexactJson(attributes),
  last_changed: homeTime(times.lastChangedUs),
  last_updated: homeTime(times.lastUpdatedUs),
  last_reported: homeTime(times.lastReportedUs),
  context: { id: context.id, parent_id: context.parentId, user_id: context.userId },
})

const servicesOf = (all: ServiceDescriptions): Json => ({
  services: Object.entries(all).flatMap(([domain, services]) =>
    Object.entries(services).map(([service, { description, fields, name, response, target }]) => ({
      domain,
      service,
      name,
      description,
      fields,
      target,
      returns_response: response !== undefined,
      always_returns_response: response?.optional === false,
    }))
  ),
})

const isServiceFailure = Schema.is(ServiceFailure)

/** The failure of a call, in the terms of the pose API. */
const failureOf = (failure: ServiceFailure): CallFailure => {
  const { message } = failure
  switch (failure._tag) {
    case "ServiceNotFound":
      return new ResourceNotFound({ resource: "service", message })
    case "InvalidServiceData":
    case "ServiceRefused":
      return InvalidRequest.of("data", message)
    case "WrongResponseUse":
      return InvalidRequest.of("return_response", message)
    case "ServiceFailed":
    case "ServiceBroke":
      return new Unexpected({ message })
  }
}

/** Whether a request covers an entity: all of them if it names none. */
const coverageOf = ({ entity_ids: ids = [] }: Json): (entityId: string) => boolean => {
  const named = new Set((ids as ReadonlyArray<string>).map((id) => id.toLowerCase()))
  return (entityId) => named.size === 0 || named.has(entityId)
}

const textOf = (json: Json, field: string): string => json[field] as string | undefined ?? ""
const objectOf = (json: Json, field: string): JsonObject => json[field] as JsonObject | undefined ?? {}

const watch = (request: Json) =>
  Stream.unwrap(Effect.gen(function* () {
    const replica = yield* (yield* HomeRuntime).replica
    const covers = coverageOf(request)
    const changes = yield* Queue.dropping<Json, CallFailure>(waitingMax)
    // In one step, so that the first change in the queue is the one after the states.
    const { states } = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const leave = replica.listen((entries) => {
          for (const entry of entries) {
            if (entry.kind !== "changed" || !covers(entry.entityId)) continue
            const state = entry.newState === null ? null : stateOf(entry.newState)
            if (!Queue.offerUnsafe(changes, { entity_id: entry.entityId, state })) {
              Queue.failCauseUnsafe(changes, Cause.fail(tooSlow))
            }
          }
        })
        return { leave, states: replica.all().filter(({ entityId }) => covers(entityId)) }
      }),
      ({ leave }) => Effect.sync(leave),
    )
    const initial = Stream.map(
      Stream.fromIterable(states),
      (state): Json => ({ entity_id: state.entityId, state: stateOf(state), initial: true }),
    )
    return Stream.concat(initial, Stream.fromQueue(changes))
  }))

type Needs = HomeRuntime | HomeServices
type Work = (request: Json, caller: Caller) => Effect.Effect<Json, CallFailure, Needs>

const unary: Readonly<Record<string, Work>> = {
  ListHomeStates: Effect.fnUntraced(function* (request) {
    const covers = coverageOf(request)
    const states = (yield* (yield* HomeRuntime).replica).all()
    return { states: states.filter(({ entityId }) => covers(entityId)).map(stateOf) }
  }),
  SetHomeState: Effect.fnUntraced(function* (request, caller) {
    const runtime = yield* HomeRuntime
    const { created, state } = yield* runtime.write(textOf(request, "entity_id"), {
      state: textOf(request, "state"),
      attributes: objectOf(request, "attributes"),
      forceUpdate: request["force_update"] === true,
      context: yield* runtime.context(caller.id),
    }).pipe(Effect.catchTags({
      InvalidEntityId: ({ message }) => Effect.fail(InvalidRequest.of("entity_id", message)),
      InvalidEntityState: ({ message }) => Effect.fail(InvalidRequest.of("state", message)),
    }))
    return { state: stateOf(state), created }
  }),
  ListHomeServices: () => Effect.map(Effect.flatMap(HomeServices, ({ all }) => all), servicesOf),
  CallHomeService: Effect.fnUntraced(function* (request, caller) {
    const response = yield* (yield* HomeServices).call({
      domain: textOf(request, "domain"),
      service: textOf(request, "service"),
      data: objectOf(request, "data"),
      context: yield* (yield* HomeRuntime).context(caller.id),
      returnResponse: request["return_response"] === true,
    }).pipe(Effect.mapError((failure) => isServiceFailure(failure) ? failureOf(failure) : failure))
    return { response }
  }),
}

/** The methods of the service: encoded requests in, encoded answers out. */
export interface HomeMethods {
  readonly unary: ReadonlyMap<string, (bytes: Uint8Array, caller: Caller) => Effect.Effect<Uint8Array, CallFailure>>
  readonly watch: (bytes: Uint8Array) => Stream.Stream<Uint8Array, CallFailure>
}

export const makeHomeMethods: Effect.Effect<HomeMethods, never, Needs> = Effect.map(
  Effect.context<Needs>(),
  (services) => {
    const codecsOf = (method: string) => ({
      request: codecOf(`${method}Request`),
      response: codecOf(`${method}Response`),
    })
    const watching = codecsOf("WatchHomeStates")
    return {
      unary: new Map(
        Object.entries(unary).map(([method, work]) => {
          const { request, response } = codecsOf(method)
          return [method, (bytes: Uint8Array, caller: Caller) =>
            readRequest(request.decode, bytes).pipe(
              Effect.flatMap((json) => work(json, caller)),
              Effect.map(response.encode),
              Effect.provide(services),
            )]
        }),
      ),
      watch: (bytes) =>
        Stream.unwrap(Effect.map(readRequest(watching.request.decode, bytes), watch)).pipe(
          Stream.map(watching.response.encode),
          Stream.provide(services),
        ),
    }
  },
)
