/**
 * A client of the home WebSocket that keeps each received frame, and waits for expected messages.
 */
import { WebSocket } from "ws"

// deno-lint-ignore no-explicit-any
type Message = any

export interface HomeSocketClient {
  readonly socket: WebSocket
  /** Texts of all frames. */
  readonly frames: ReadonlyArray<string>
  /** All messages, those of arrays one by one. */
  readonly received: ReadonlyArray<Message>
  readonly send: (message: unknown) => void
  /** The first message, seen or to come, that fits; each is given once. */
  readonly next: (fits: (message: Message) => boolean) => Promise<Message>
  /** Sends a command under the next id, and waits for its answer. */
  readonly call: (type: string, fields?: object) => Promise<Message>
  /** The first event of a subscription that was not given yet. */
  readonly event: (id: number) => Promise<Message>
  /** Resolves when all that was sent before has been dealt with; answers the messages of a subscription until then. */
  readonly eventsUntilNow: (id: number) => Promise<ReadonlyArray<Message>>
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}

/** Connects without authenticating. */
export const openSocket = (url: string, headers: Record<string, string> = {}): Promise<HomeSocketClient> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/websocket`, { headers })
    const frames: Array<string> = []
    const received: Array<Message> = []
    const taken = new Set<Message>()
    const waiting = new Set<() => void>()
    let lastId = 0
    socket.on("message", (data) => {
      const text = data.toString()
      frames.push(text)
      const parsed = JSON.parse(text)
      received.push(...(Array.isArray(parsed) ? parsed : [parsed]))
      for (const look of [...waiting]) look()
    })
    const closed = new Promise<{ code: number; reason: string }>((done) =>
      socket.on("close", (code, reason) => done({ code, reason: reason.toString() }))
    )
    const next: HomeSocketClient["next"] = (fits) =>
      new Promise((found) => {
        const look = () => {
          const message = received.find((one) => !taken.has(one) && fits(one))
          if (message === undefined) return
          taken.add(message)
          waiting.delete(look)
          found(message)
        }
        waiting.add(look)
        look()
      })
    const send = (message: unknown) => socket.send(typeof message === "string" ? message : JSON.stringify(message))
    const call: HomeSocketClient["call"] = (type, fields = {}) => {
      const id = ++lastId
      send({ id, type, ...fields })
      return next((message) => message.id === id && message.type !== "event")
    }
    const eventsUntilNow: HomeSocketClient["eventsUntilNow"] = async (id) => {
      // A fired event arrives after all earlier messages.
      await call("fire_event", { event_type: "until_now" })
      return received.filter((message) => message.type === "event" && message.id === id)
        .map(({ event }) => event).filter((event) => event.event_type !== "until_now")
    }
    socket.on("open", () =>
      resolve({
        socket,
        frames,
        received,
        send,
        next,
        call,
        event: async (id) => (await next((message) => message.type === "event" && message.id === id)).event,
        eventsUntilNow,
        closed,
      }))
    socket.on("error", reject)
  })

/** Connects and authenticates. */
export const connectHome = async (url: string, token: string): Promise<HomeSocketClient> => {
  const client = await openSocket(url)
  client.send({ type: "auth", access_token: token })
  await client.next(({ type }) => type === "auth_ok")
  return client
}

/** The answer of a successful command. */
export const result = (value: unknown) => ({ type: "result", success: true, result: value })

/** The answer of a rejected command, with any message by default. */
export const refused = (code: string, message?: string) => ({
  type: "result",
  success: false,
  error: { code, ...(message === undefined ? {} : { message }) },
})
