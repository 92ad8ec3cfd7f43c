/**
 * Outgoing messages of the home WebSocket that several clients share: each is encoded as text and as a frame once.
 *
 * Boundary: `feeds.ts` decides which client receives a message, `outbox.ts` when.
 */
import { emptyTextFrame } from "../../http/text-frame.ts"

/** One or more messages that are sent together. */
export interface Parcel {
  readonly count: number
  /** Number of characters of all messages. */
  readonly characters: number
  /** The messages, separated by commas, as the items of an array. */
  readonly text: () => string
  /** One frame for each message. */
  readonly frames: () => Uint8Array
  /** One frame with the array of all messages. */
  readonly array: () => Uint8Array
}

/** The most characters of a parcel of several messages. */
const charactersMax = 256 * 1024

/** A message as a frame. */
export const frameOf = (text: string): Uint8Array => {
  const { begin, frame } = emptyTextFrame(Buffer.byteLength(text))
  frame.write(text, begin)
  return frame
}

/** A parcel of messages. Its bytes are encoded at the first use. */
export const parcelOf = (messages: ReadonlyArray<string>): Parcel => {
  let frames: Uint8Array | null = null
  let array: Uint8Array | null = null
  const text = () => messages.length === 1 ? messages[0]! : messages.join(",")
  return {
    count: messages.length,
    characters: messages.reduce((sum, { length }) => sum + length, 0),
    text,
    frames: () => frames ??= messages.length === 1 ? frameOf(messages[0]!) : Buffer.concat(messages.map(frameOf)),
    array: () => array ??= frameOf(`[${text()}]`),
  }
}

/** Events that subscribers receive together. */
export interface Events {
  /** The messages with the id of a subscription. */
  readonly under: (id: number) => Parcel
}

/** An event, whose JSON is `eventText`, as a message of the subscription `id`. */
const eventMessage = (id: number, eventText: string): string => `{"id":${id},"type":"event","event":${eventText}}`

/** Events of these texts, together. */
export const eventsOf = (texts: ReadonlyArray<string>): Events => {
  const parcels = new Map<number, Parcel>()
  return {
    under: (id) => {
      const made = parcels.get(id)
      if (made !== undefined) return made
      const parcel = parcelOf(texts.map((text) => eventMessage(id, text)))
      parcels.set(id, parcel)
      return parcel
    },
  }
}

/** Events of these texts, in as few parcels as their size allows. */
export const packed = (texts: ReadonlyArray<string>): ReadonlyArray<Events> => {
  const packs: Array<Array<string>> = []
  let characters = 0
  for (const text of texts) {
    if (packs.length === 0 || characters + text.length > charactersMax) {
      packs.push([])
      characters = 0
    }
    packs.at(-1)!.push(text)
    characters += text.length
  }
  return packs.map(eventsOf)
}
