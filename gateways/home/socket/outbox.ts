/**
 * The queue of outgoing messages of one client of the home WebSocket.
 *
 * Invariants:
 * 1. Messages are sent in order and none is dropped.
 * 2. With `coalesce` the messages of one turn of the event loop are sent as one array; without it arrays are never sent.
 * 3. The connection of a client that is too slow ends: `waitingMax` messages or `waitingCharactersMax` wait, or more than `peakMax` messages
 *    for `peakMsMax`.
 */
import { frameOf, type Parcel, parcelOf } from "./shared-messages.ts"

/** The connection, and the timers of the process. */
interface HomeWire {
  /** Sends whole frames in order, in one system call where possible. */
  readonly send: (frames: ReadonlyArray<Uint8Array>) => void
  /** Bytes that the operating system has not accepted yet. */
  readonly waitingBytes: () => number
  readonly endTooSlow: (reason: string) => void
  /** Runs `then` in the next turn. */
  readonly nextTurn: (then: () => void) => void
  /** Runs `then` after `ms`. Returns a function that cancels it. */
  readonly after: (ms: number, then: () => void) => () => void
}

export const waitingMax = 4_096
export const peakMax = 1_024
export const peakMsMax = 10_000
const waitingCharactersMax = 256 * 1024 * 1024
/** The most bytes that the socket may buffer. */
const socketBytesMax = 256 * 1024
/** The most characters of one array. */
const arrayCharactersMax = 1024 * 1024

export interface HomeOutbox {
  /** Queues a message, or messages that other clients receive too. */
  readonly push: (message: string | Parcel) => void
  /** Whether messages of one turn are joined into one array. */
  readonly coalesce: (on: boolean) => void
  /** Call when the socket has drained: sends queued messages as far as the socket accepts them. */
  readonly drained: () => void
  readonly close: () => void
}

export class SocketOutbox implements HomeOutbox {
  readonly #wire: HomeWire
  /** Queued parcels, of which those before `#from` are sent. */
  #waiting: Array<Parcel> = []
  #from = 0
  /** Messages that wait. */
  #messages = 0
  /** Characters that wait. */
  #characters = 0
  #coalescing = false
  #isFlushPlanned = false
  #hasEnded = false
  /** Cancels the timer that ends a client over the peak; null while it is below. */
  #cancelEnd: (() => void) | null = null

  constructor(wire: HomeWire) {
    this.#wire = wire
  }

  push(message: string | Parcel): void {
    if (this.#hasEnded) return
    const parcel = typeof message === "string" ? parcelOf([message]) : message
    this.#waiting.push(parcel)
    this.#messages += parcel.count
    this.#characters += parcel.characters
    if (this.#messages >= waitingMax || this.#characters > waitingCharactersMax) {
      return this.#end(`${this.#messages} messages wait`)
    }
    if (this.#isFlushPlanned) return
    this.#isFlushPlanned = true
    this.#wire.nextTurn(() => {
      this.#isFlushPlanned = false
      this.drained()
    })
  }

  coalesce(on: boolean): void {
    this.#coalescing = on
  }

  drained(): void {
    while (!this.#hasEnded && this.#from < this.#waiting.length && this.#wire.waitingBytes() <= socketBytesMax) {
      const parcels = this.#take(this.#coalescing ? arrayCharactersMax : socketBytesMax)
      this.#wire.send(this.#coalescing ? [joined(parcels)] : parcels.map(({ frames }) => frames()))
    }
    this.#watchPeak()
  }

  close(): void {
    this.#hasEnded = true
    this.#cancelEnd?.()
    this.#waiting = []
    this.#from = 0
  }

  #end(reason: string): void {
    this.close()
    this.#wire.endTooSlow(reason)
  }

  /** Removes parcels of at most `charactersMax` characters in total, and at least one. */
  #take(charactersMax: number): ReadonlyArray<Parcel> {
    const start = this.#from
    let taken = 0
    do {
      taken += this.#waiting[this.#from]!.characters
      this.#messages -= this.#waiting[this.#from++]!.count
    } while (this.#from < this.#waiting.length && taken + this.#waiting[this.#from]!.characters <= charactersMax)
    const isAll = start === 0 && this.#from === this.#waiting.length
    const parcels = isAll ? this.#waiting : this.#waiting.slice(start, this.#from)
    this.#characters -= taken
    if (this.#from === this.#waiting.length) {
      this.#waiting = []
      this.#from = 0
    } else if (this.#from > waitingMax) {
      this.#waiting = this.#waiting.slice(this.#from)
      this.#from = 0
    }
    return parcels
  }

  #watchPeak(): void {
    if (this.#messages <= peakMax) {
      this.#cancelEnd?.()
      this.#cancelEnd = null
    } else if (this.#cancelEnd === null && !this.#hasEnded) {
      this.#cancelEnd = this.#wire.after(
        peakMsMax,
        () => this.#end(`more than ${peakMax} messages waited for ${peakMsMax / 1000} s`),
      )
    }
  }
}

/** Parcels as one array; a single message as it is. */
const joined = (parcels: ReadonlyArray<Parcel>): Uint8Array => {
  const [first, ...others] = parcels
  if (others.length > 0) return frameOf(`[${parcels.map(({ text }) => text()).join(",")}]`)
  return first!.count > 1 ? first!.array() : first!.frames()
}
