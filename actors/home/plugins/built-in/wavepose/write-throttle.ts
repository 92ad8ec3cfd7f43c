/**
 * Throttles writes of entities: a changed fact is due at once, a changed measurement every 10 s, an unchanged entity never.
 *
 * Each write is stored and sent to every client, and nodes report ten times a second. Pure: the time is an argument.
 */
import { equalJson } from "../../../../../protocols/domain/json-equal.ts"
import type { Sensed } from "./sensor-entities.ts"

/** The least interval between writes of a measurement, or of changed attributes. */
export const measurementIntervalMs = 10_000

interface Written {
  readonly state: string
  readonly attributes: Sensed["attributes"]
  readonly atMs: number
}

interface WriteThrottle {
  /** The entities to write now; they count as written. */
  readonly due: (entities: ReadonlyArray<Sensed>, nowMs: number) => ReadonlyArray<Sensed>
  /** Call if the write failed: the entity is due again. */
  readonly forget: (entityId: string) => void
}

/** States that are not values. A change from or to one of them is written at once. */
const isWord = (state: string): boolean => state === "unknown" || state === "unavailable"

export const makeWriteThrottle = (): WriteThrottle => {
  const written = new Map<string, Written>()
  const isDue = ({ attributes, entityId, fact, state }: Sensed, nowMs: number): boolean => {
    const last = written.get(entityId)
    if (last === undefined) return true
    const changed = last.state !== state
    if (changed && (fact || isWord(state) || isWord(last.state))) return true
    return nowMs - last.atMs >= measurementIntervalMs && (changed || !equalJson(last.attributes, attributes))
  }
  return {
    due: (entities, nowMs) =>
      entities.filter((entity) => {
        if (!isDue(entity, nowMs)) return false
        written.set(entity.entityId, { state: entity.state, attributes: entity.attributes, atMs: nowMs })
        return true
      }),
    forget: (entityId) => void written.delete(entityId),
  }
}
