/**
 * The states of entities in a period of the past: the bounds of a request for them, and which of them it wants.
 */
import { Effect } from "effect"
import { domainOf, type EntityState } from "../../../protocols/domain/home.ts"
import { HomeHistory } from "../../../protocols/ports/home-history.ts"

/** The most entities that a request names. */
export const entitiesMax = 1_000
const bounds = { statesMax: 100_000, bytesMax: 64 * 1024 * 1024 }

/** The states of each entity, the oldest first. Fails if there are more than the bounds, because clients take an answer as complete. */
export const pastStates = Effect.fnUntraced(
  function* (period: { readonly fromUs: number; readonly untilUs: number }, entityIds: ReadonlyArray<string>) {
    const distinct = [...new Set(entityIds)]
    return distinct.length === 0 ? [] : yield* (yield* HomeHistory).period({ ...period, entityIds: distinct }, bounds)
  },
)

/** Domains whose attributes matter as much as their states. */
const attributeDomains: ReadonlySet<string> = new Set([
  "climate",
  "device_tracker",
  "humidifier",
  "thermostat",
  "water_heater",
])

/** Whether a state is a change of the state itself. */
export const isSignificant = ({ entityId, lastChangedUs, lastUpdatedUs }: EntityState): boolean =>
  lastChangedUs === lastUpdatedUs || attributeDomains.has(domainOf(entityId))

/** Which states of a period a request wants. */
interface Wanted {
  readonly fromUs: number
  /** With the state at the beginning of the period. */
  readonly initial: boolean
  /** Without changes of attributes only. */
  readonly significantOnly: boolean
}

/** The states of each entity that a request wants; entities without any are left out. */
export const wantedOf = (
  found: ReadonlyArray<ReadonlyArray<EntityState>>,
  { fromUs, initial, significantOnly }: Wanted,
): ReadonlyArray<ReadonlyArray<EntityState>> =>
  found.map((states) =>
    states.filter((state) => state.lastUpdatedUs < fromUs ? initial : !significantOnly || isSignificant(state))
  ).filter((states) => states.length > 0)
