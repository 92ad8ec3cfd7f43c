/**
 * Handlers of states. Clients depend on the order of the checks.
 */
import { Effect } from "effect"
import { statesText, stateText } from "../../../protocols/home-api/home-json.ts"
import { pythonText } from "../../../protocols/home-api/python-text.ts"
import { HomeRuntime } from "../../../protocols/ports/home-runtime.ts"
import { jsonAnswer, messageAnswer } from "../server/answer.ts"
import { isObject, readExactJson } from "../server/json.ts"
import { route } from "../server/route.ts"

const notFound = messageAnswer(404, "Entity not found.")

export const stateRoutes = [
  route("GET", "/api/states", () =>
    Effect.gen(function* () {
      const { replica } = yield* HomeRuntime
      return jsonAnswer(statesText((yield* replica).all()))
    })),

  route("GET", "/api/states/{entity_id}", ({ params }) =>
    Effect.gen(function* () {
      const { replica } = yield* HomeRuntime
      const state = (yield* replica).one(params["entity_id"]!.toLowerCase())
      return state === null ? notFound : jsonAnswer(stateText(state))
    })),

  route("POST", "/api/states/{entity_id}", ({ body, params, user }) =>
    Effect.gen(function* () {
      const entityId = params["entity_id"]!
      const text = yield* body
      const data = text === "" ? null : readExactJson(text)
      if (text === null || data === undefined) return messageAnswer(400, "Invalid JSON specified.")
      if (!isObject(data)) return messageAnswer(400, "State data should be a JSON object.")
      const { attributes = null, force_update: forceUpdate = false, state = null } = data
      if (state === null) return messageAnswer(400, "No state specified.")
      if (attributes !== null && !isObject(attributes)) {
        return messageAnswer(400, "State attributes should be a JSON object.")
      }
      const runtime = yield* HomeRuntime
      const context = yield* runtime.context(user.id)
      return yield* runtime.write(entityId, {
        state: pythonText(state),
        attributes: attributes ?? {},
        forceUpdate: Boolean(forceUpdate),
        context,
      }).pipe(
        Effect.map((written) =>
          jsonAnswer(stateText(written.state), written.created ? 201 : 200, {
            Location: `/api/states/${encodeURIComponent(entityId)}`,
          })
        ),
        Effect.catchTag(["InvalidEntityId", "InvalidEntityState"], ({ message }) =>
          Effect.succeed(messageAnswer(400, message))),
      )
    })),

  route("DELETE", "/api/states/{entity_id}", ({ params }) =>
    Effect.gen(function* () {
      const runtime = yield* HomeRuntime
      const removed = yield* runtime.remove(params["entity_id"]!, yield* runtime.context(null))
      return removed ? messageAnswer(200, "Entity removed.") : notFound
    })),
]
