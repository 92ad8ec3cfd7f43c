/**
 * What waits to be published: of each topic the newest message.
 *
 * Invariants: a message that is superseded before it went out is never sent; one that went out and was not acknowledged when its
 * connection was lost waits again, unless a newer one of its topic does; topics keep the order in which they began to wait, so that an
 * announcement goes before its states; at most `topicsMax` wait.
 */
import type { MqttMessage } from "../../protocols/ports/mqtt-link.ts"

export const topicsMax = 20_000

const keyOf = ({ prelude, topic }: MqttMessage): string => prelude ? `${topic} prelude` : topic

export class Outbox {
  readonly #waiting = new Map<string, MqttMessage>()
  readonly #underWay = new Set<MqttMessage>()
  /** Messages for which there was no place. */
  dropped = 0

  get size(): number {
    return this.#waiting.size + this.#underWay.size
  }

  put(message: MqttMessage): void {
    const key = keyOf(message)
    if (!this.#waiting.has(key) && this.#waiting.size >= topicsMax) this.dropped++
    else this.#waiting.set(key, message)
  }

  /** The next message, which is under way from now on; null when none waits. */
  next(): MqttMessage | null {
    const first = this.#waiting.values().next()
    if (first.done === true) return null
    this.#waiting.delete(keyOf(first.value))
    this.#underWay.add(first.value)
    return first.value
  }

  acknowledged(message: MqttMessage): void {
    this.#underWay.delete(message)
  }

  /** The connection is lost, and with it what was under way. */
  lost(): void {
    const again = [...this.#underWay].filter((message) => !this.#waiting.has(keyOf(message)))
    this.#underWay.clear()
    const later = [...this.#waiting]
    this.#waiting.clear()
    for (const message of again) this.#waiting.set(keyOf(message), message)
    for (const [key, message] of later) this.#waiting.set(key, message)
  }
}
