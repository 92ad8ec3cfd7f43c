/**
 * What waits to be sent to one client of the home WebSocket.
 *
 * Invariants:
 * 1. Messages are sent in order and none is dropped.
 * 2. With `coalesce` what is queued within one turn of the event loop goes out as one array, without it never an array.
 * 3. A client that lets `waitingMax` messages or `waitingCharactersMax` wait, or more than `peakMax` messages for `peakMsMax`, is too slow:
 *    its connection ends.
 */
import { frameOf, type Parcel, parcelOf } from "./shared-messages.ts"

/** The connection as the outbox sees it, and the turns and times of its process. */
interface HomeWire {
  /** Sends whole frames one after the other, in one go where that is possible. */
  readonly send: (frames: ReadonlyArray<Uint8Array>) => void
  /** Bytes handed over and not yet taken by the operating system. */
  readonly waitingBytes: () => number
  readonly endTooSlow: (reason: string) => void
  /** Runs `then` in the next turn. */
  readonly nextTurn: (then: () => void) => void
  /** Runs `then` after a while; answers how to prevent that. */
  readonly after: (ms: number, then: () => void) => () => void
}

export const waitingMax = 4_096
export const peakMax = 1_024
export const peakMsMax = 10_000
const waitingCharactersMax = 256 * 1024 * 1024
/** What the socket itself may hold. */
const socketBytesMax = 256 * 1024
/** Characters of one array. */
const arrayCharactersMax = 1024 * 1024

export interface HomeOutbox {
  /** Queues a message, or messages that others get too. */
  readonly push: (message: string | Parcel) => void
  readonly coalesce: (on: boolean) => void
  /** The client has read on: sends what waits. */
  readonly drained: () => void
  readonly close: () => void
}

export const makeHomeOutbox = (wire: HomeWire): HomeOutbox => {
  let waiting: Array<Parcel> = []
  let from = 0
  /** Of those that wait. */
  let messages = 0
  let characters = 0
  let coalescing = false
  let planned = false
  let ended = false
  let preventEnd: (() => void) | null = null

  const end = (reason: string): void => {
    close()
    wire.endTooSlow(reason)
  }

  /** Takes parcels of at most so many characters together, and at least one. */
  const take = (charactersMax: number): ReadonlyArray<Parcel> => {
    const start = from
    let taken = 0
    do {
      taken += waiting[from]!.characters
      messages -= waiting[from++]!.count
    } while (from < waiting.length && taken + waiting[from]!.characters <= charactersMax)
    const parcels = start === 0 && from === waiting.length ? waiting : waiting.slice(start, from)
    characters -= taken
    if (from === waiting.length) {
      waiting = []
      from = 0
    } else if (from > waitingMax) {
      waiting = waiting.slice(from)
      from = 0
    }
    return parcels
  }

  /** Parcels as one array; a message alone as it is. */
  const joined = (parcels: ReadonlyArray<Parcel>): Uint8Array => {
    const [first, ...others] = parcels
    if (others.length > 0) return frameOf(`[${parcels.map(({ text }) => text()).join(",")}]`)
    return first!.count > 1 ? first!.array() : first!.frames()
  }

  const flush = (): void => {
    while (!ended && from < waiting.length && wire.waitingBytes() <= socketBytesMax) {
      const parcels = take(coalescing ? arrayCharactersMax : socketBytesMax)
      wire.send(coalescing ? [joined(parcels)] : parcels.map(({ frames }) => frames()))
    }
    watchPeak()
  }

  const watchPeak = (): void => {
    if (messages <= peakMax) {
      preventEnd?.()
      preventEnd = null
    } else if (preventEnd === null && !ended) {
      preventEnd = wire.after(peakMsMax, () => end(`more than ${peakMax} messages waited for ${peakMsMax / 1000} s`))
    }
  }

  const close = (): void => {
    ended = true
    preventEnd?.()
    waiting = []
    from = 0
  }

  return {
    push: (message) => {
      if (ended) return
      const parcel = typeof message === "string" ? parcelOf([message]) : message
      waiting.push(parcel)
      messages += parcel.count
      characters += parcel.characters
      if (messages >= waitingMax || characters > waitingCharactersMax) return end(`${messages} messages wait`)
      if (planned) return
      planned = true
      wire.nextTurn(() => {
        planned = false
        flush()
      })
    },
    coalesce: (on) => void (coalescing = on),
    drained: flush,
    close,
  }
}
