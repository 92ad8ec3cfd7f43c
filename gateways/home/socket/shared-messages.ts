/**
 * Messages of the home WebSocket on their way: each is made into text and into a frame once, however many clients get the same.
 *
 * Boundary: who gets what is `feeds.ts`, and when `outbox.ts`.
 */
import { emptyTextFrame } from "../../http/text-frame.ts"
import { eventMessage } from "./framing.ts"

/** Messages that go out together: at least one. */
export interface Parcel {
  readonly count: number
  /** Of all messages together. */
  readonly characters: number
  /** The messages with commas between, as an array has them. */
  readonly text: () => string
  /** A frame for each message. */
  readonly frames: () => Uint8Array
  /** One frame: the array of the messages. */
  readonly array: () => Uint8Array
}

/** Characters of a parcel of several messages. */
const charactersMax = 256 * 1024

/** A message as a frame. */
export const frameOf = (text: string): Uint8Array => {
  const { begin, frame } = emptyTextFrame(Buffer.byteLength(text))
  frame.write(text, begin)
  return frame
}

/** A parcel of messages; its bytes are made when they are first sent. */
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

/** Events that subscriptions are told together. */
export interface Events {
  /** As the messages of the subscription of this id. */
  readonly under: (id: number) => Parcel
}

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
