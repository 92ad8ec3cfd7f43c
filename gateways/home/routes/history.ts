/**
 * Handlers of the history of states.
 */
import { Clock, Effect } from "effect"
import { type EntityState, homeTime, isEntityId } from "../../../protocols/domain/home.ts"
import { stateText } from "../../../protocols/home-api/home-json.ts"
import { jsonAnswer, messageAnswer } from "../server/answer.ts"
import { entitiesMax, pastStates, wantedOf } from "../server/past-states.ts"
import { dayUs, readPeriod } from "../server/read-period.ts"
import { type HomeCall, route } from "../server/route.ts"

/** A state in its shortest form: value and time of change. */
const shortText = ({ lastChangedUs, state }: EntityState): string =>
  JSON.stringify({ state, last_changed: homeTime(lastChangedUs) })

interface Form {
  readonly minimal: boolean
  readonly withoutAttributes: boolean
}

/** The states of one entity; in the minimal form all but the first and the last are short. */
const statesOfEntity = (states: ReadonlyArray<EntityState>, { minimal, withoutAttributes }: Form): string => {
  const texts = states.map((state, i) => {
    if (minimal && i > 0 && i < states.length - 1) return shortText(state)
    return stateText(withoutAttributes ? { ...state, attributes: {} } : state)
  })
  return `[${texts.join(",")}]`
}

const period = (call: HomeCall) =>
  Effect.gen(function* () {
    const { query } = call
    const nowUs = (yield* Clock.currentTimeMillis) * 1000
    const asked = readPeriod(call, nowUs - dayUs)
    if (typeof asked === "string") return messageAnswer(400, asked)
    const filter = query.get("filter_entity_id")
    if (filter === null || filter === "") return messageAnswer(400, "filter_entity_id is missing")
    const entityIds = [...new Set(filter.toLowerCase().split(",").map((id) => id.trim()))]
    if (entityIds.length > entitiesMax || !entityIds.every(isEntityId)) {
      return messageAnswer(400, "Invalid filter_entity_id")
    }
    if (asked.fromUs > nowUs) return jsonAnswer("[]")
    const form = { minimal: query.has("minimal_response"), withoutAttributes: query.has("no_attributes") }
    const found = wantedOf(yield* pastStates(asked, entityIds), {
      fromUs: asked.fromUs,
      initial: !query.has("skip_initial_state"),
      significantOnly: query.get("significant_changes_only") !== "0",
    })
    return jsonAnswer(`[${found.map((states) => statesOfEntity(states, form)).join(",")}]`)
  }).pipe(Effect.catchTag("TooManyStates", ({ message }) => Effect.succeed(messageAnswer(400, message))))

export const historyRoutes = [
  route("GET", "/api/history/period", period),
  route("GET", "/api/history/period/{timestamp}", period),
]
