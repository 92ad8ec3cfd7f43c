/**
 * The messages that wait to be published: the newest one of each topic.
 *
 * Invariants: a message that is superseded before it was sent is never sent; a message that was sent and not acknowledged when the
 * connection was lost waits again, unless a newer one of its topic waits; topics keep the order in which they began to wait, so that an
 * announcement is sent before its states; at most `topicsMax` topics wait.
 */
import type { MqttMessage } from "../../protocols/ports/mqtt-link.ts"

export const topicsMax = 20_000

const keyOf = ({ prelude, topic }: MqttMessage): string => prelude ? `${topic} prelude` : topic

export class Outbox {
  readonly #waiting = new Map<string, MqttMessage>()
  readonly #inFlight = new Set<MqttMessage>()
  /** Messages that were dropped because the outbox was full. */
  dropped = 0

  get size(): number {
    return this.#waiting.size + this.#inFlight.size
  }

  put(message: MqttMessage): void {
    const key = keyOf(message)
    if (!this.#waiting.has(key) && this.#waiting.size >= topicsMax) this.dropped++
    else this.#waiting.set(key, message)
  }

  /** Takes the next message, which is then in flight; null if none waits. */
  next(): MqttMessage | null {
    const first = this.#waiting.values().next()
    if (first.done === true) return null
    this.#waiting.delete(keyOf(first.value))
    this.#inFlight.add(first.value)
    return first.value
  }

  acknowledged(message: MqttMessage): void {
    this.#inFlight.delete(message)
  }

  /** The connection is lost: messages in flight wait again. */
  lost(): void {
    const again = [...this.#inFlight].filter((message) => !this.#waiting.has(keyOf(message)))
    this.#inFlight.clear()
    const later = [...this.#waiting]
    this.#waiting.clear()
    for (const message of again) this.#waiting.set(keyOf(message), message)
    for (const [key, message] of later) this.#waiting.set(key, message)
  }
}
