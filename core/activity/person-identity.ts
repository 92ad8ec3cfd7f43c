/**
 * Who a person is to the incidents: the id of the first known track, and the keys of the conditions.
 *
 * A condition that continues after a restart keeps its key. If it was stored without the person's id, the person has none until the next track.
 */
import type { Condition } from "./condition.ts"

/** The conditions of a person, and how their keys begin. */
const keyPrefixes = { fall_detection: "fall", inactivity: "inactivity" }
type PersonConditionType = keyof typeof keyPrefixes

export class PersonIdentity {
  #personId: number | null
  /** Keys of conditions that an earlier watch reported. */
  readonly #keys = new Map<Condition["type"], string>()

  constructor(personId: number | null) {
    this.#personId = personId
  }

  get personId(): number | null {
    return this.#personId
  }

  /** A track is this person's. */
  seen(trackId: number): void {
    this.#personId ??= trackId
  }

  resume({ key, type }: Condition): void {
    this.#keys.set(type, key)
  }

  /** Returns the key of a condition that ends. */
  end(type: PersonConditionType): string {
    const key = this.#keyOf(type)
    this.#keys.delete(type)
    return key
  }

  /** A condition of this person. */
  condition(
    type: PersonConditionType,
    held: Pick<Condition, "place" | "sinceS" | "severity" | "confidence" | "alerts" | "impactMps">,
  ): Condition {
    return { key: this.#keyOf(type), type, personId: this.#personId, zone: null, persons: null, ...held }
  }

  #keyOf(type: PersonConditionType): string {
    return this.#keys.get(type) ?? `${keyPrefixes[type]}:${this.#personId}`
  }
}
