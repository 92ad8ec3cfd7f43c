/**
 * When an entity is written: facts at once, measurements now and then, and what is as it was not at all.
 *
 * Every write is kept in the store and told to every client; nodes say something ten times a second. Pure: the time is an argument.
 */
import { equalJson } from "../../../../../protocols/domain/json-equal.ts"
import type { Sensed } from "./sensor-entities.ts"

/** Measurements, and attributes, of an entity are written at most so often. */
export const figuresMs = 10_000

interface Written {
  readonly state: string
  readonly attributes: Sensed["attributes"]
  readonly atMs: number
}

interface Pace {
  /** Those that are to be written now. */
  readonly due: (entities: ReadonlyArray<Sensed>, nowMs: number) => ReadonlyArray<Sensed>
  /** It was not written after all. */
  readonly forget: (entityId: string) => void
}

/** States that a measurement does not turn to by moving. */
const isWord = (state: string): boolean => state === "unknown" || state === "unavailable"

export const makePace = (): Pace => {
  const written = new Map<string, Written>()
  const isDue = ({ attributes, entityId, fact, state }: Sensed, nowMs: number): boolean => {
    const last = written.get(entityId)
    if (last === undefined) return true
    const turned = last.state !== state
    if (turned && (fact || isWord(state) || isWord(last.state))) return true
    return nowMs - last.atMs >= figuresMs && (turned || !equalJson(last.attributes, attributes))
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
