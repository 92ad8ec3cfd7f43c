/**
 * Inactivity of a room in which no person is located: there is presence, and nothing moves.
 *
 * Boundary: `monitor.ts` says where the last person was located, and whether the inactivity of a located person is reported already.
 */
import type { Place } from "../imaging/geometry.ts"
import type { Condition } from "./condition.ts"
import { createStillness, inactivitySeverity, type Stillness } from "./inactivity.ts"
import type { WatchSettings } from "./person.ts"
import { roomMoves, type Scene } from "./scene.ts"

export const roomInactivityKey = "inactivity:room"

/** What is known about the persons of a room in which none is located now. */
interface Known {
  /** Where a person was located last; null before that. */
  readonly place: Place | null
  /** That place is in a bed. */
  readonly exempt: boolean
  /** The inactivity of a located person is reported. */
  readonly others: boolean
}

export class RoomStillness {
  #stillness: Stillness = createStillness()
  #sinceS: number | null = null
  #reported = false

  /** The condition; null while it does not hold. */
  step(
    scene: Scene,
    { enabled, thresholdS }: WatchSettings["inactivity"],
    { exempt, others, place }: Known,
  ): Condition | null {
    const { present, presenceConfidence, samples, timeS } = scene
    const sinceS = this.#stillness.step({
      timeS,
      present: present === true || samples.length > 0,
      moving: roomMoves(scene),
      exempt,
    })
    this.#sinceS = sinceS
    const lastedS = sinceS === null ? 0 : timeS - sinceS
    this.#reported = enabled && sinceS !== null && lastedS >= thresholdS &&
      (this.#reported || (samples.length === 0 && !others))
    return !this.#reported || sinceS === null ? null : {
      key: roomInactivityKey,
      type: "inactivity",
      personId: null,
      zone: null,
      sinceS,
      severity: inactivitySeverity(lastedS, thresholdS),
      confidence: presenceConfidence,
      place,
      alerts: true,
      impactMps: null,
      persons: null,
    }
  }

  resume(sinceS: number): void {
    this.#reported = true
    this.#sinceS = sinceS
    this.#stillness = createStillness(sinceS)
  }

  /** After a silence, presence needs new evidence, and the time begins anew. An inactivity that was reported is held as at a loss. */
  interrupt(): void {
    this.#stillness = createStillness(this.#reported ? this.#sinceS : null)
  }
}
