/**
 * One connection to `/ws/pose`: authentication by message, answers matched by id, and a bounded queue of the other messages.
 */
import { type ClientOptions, createClient } from "./client.ts"
import type { Identity } from "./credentials.ts"
import { WaveposeError } from "./error.ts"
import type { Form } from "./form.ts"

type Message = Readonly<Record<string, unknown>>

export interface Connection {
  /** Subscribes to a channel; resolves to the filters that the service applies. */
  readonly subscribe: (channel: string, filters: object) => Promise<object>
  /** Messages that answer no message of the client; ends with the connection. */
  readonly messages: AsyncIterable<Message>
  readonly failureOf: (message: Message) => WaveposeError
  readonly close: () => void
}

interface ConnectionOptions {
  readonly queueMax: number
  readonly signal: AbortSignal | undefined
  readonly WebSocket: typeof globalThis.WebSocket | undefined
}

/**
 * The credentials in the address: browsers send no headers with a WebSocket, and the message `auth` takes no API key, for which there are tickets.
 */
const ticketOf = async (options: ClientOptions<Form>, { apiKey }: Identity): Promise<Record<string, string>> => {
  if (apiKey === undefined) return {}
  const { ticket } = await createClient({ ...options, form: "bare", apiKey }).post("/api/v1/auth/ticket")
  return { ticket }
}

/** The service answers within this time, or the connection is given up. */
const answerMsMax = 15_000

const failureOf = (message: Message, status = 422): WaveposeError => {
  const { code, details, message: text } = message["error"] as {
    readonly code: string
    readonly message: string
    readonly details: Record<string, unknown>
  }
  return new WaveposeError(text, {
    status: code === "VALIDATION_ERROR" || code === "RESOURCE_NOT_FOUND" ? status : 0,
    code,
    details,
  })
}

/** Messages in the order of arrival, at most `max` of them. */
const makeQueue = (max: number, onFull: () => void) => {
  const waiting: Array<Message> = []
  let wake: (() => void) | null = null
  let ended = false
  const next = () => wake?.()
  return {
    push: (message: Message): void => {
      if (waiting.length >= max) return onFull()
      waiting.push(message)
      next()
    },
    end: (): void => {
      ended = true
      next()
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<Message> {
      while (true) {
        while (waiting.length > 0) yield waiting.shift()!
        if (ended) return
        await new Promise<void>((resolve) => wake = resolve)
        wake = null
      }
    },
  }
}

/** Opens a connection and authenticates it. */
export const connect = async (
  client: ClientOptions<Form>,
  identity: Identity,
  options: ConnectionOptions,
): Promise<Connection> => {
  const query = new URLSearchParams({ form: client.form, ...await ticketOf(client, identity) })
  const Socket = options.WebSocket ?? globalThis.WebSocket
  const socket = new Socket(`${client.url.replace(/\/$/, "").replace(/^http/, "ws")}/ws/pose?${query}`)
  const pending = new Map<number | "auth", (message: Message | WaveposeError) => void>()
  const close = () => socket.close()
  // What does not fit is fetched by the next connection, from the history.
  const queue = makeQueue(options.queueMax, close)
  let lastId = 0

  const closed = ({ code, reason }: { readonly code: number; readonly reason: string }): void => {
    const error = new WaveposeError(`The connection was closed: ${code} ${reason}`, {
      status: code,
      code: reason || "NO_ANSWER",
    })
    for (const answer of pending.values()) answer(error)
    pending.clear()
    queue.end()
    options.signal?.removeEventListener("abort", close)
  }
  const received = ({ data }: { readonly data: unknown }): void => {
    const message = JSON.parse(String(data)) as Message
    const key = message["type"] === "connection_established" ? "auth" : message["id"] as number
    const answer = pending.get(key)
    if (answer === undefined) return queue.push(message)
    pending.delete(key)
    answer(message)
  }
  const answerTo = (key: number | "auth", send: () => void): Promise<Message> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new WaveposeError("The service does not answer.", { status: 0, code: "NO_ANSWER" }))
        socket.close()
      }, answerMsMax)
      pending.set(key, (message) => {
        clearTimeout(timer)
        if (message instanceof WaveposeError) reject(message)
        else if (message["type"] === "error") reject(failureOf(message))
        else resolve(message)
      })
      send()
    })

  socket.onmessage = received
  socket.onclose = closed
  options.signal?.addEventListener("abort", close)
  await answerTo("auth", () => {
    if (identity.apiKey !== undefined) return
    socket.onopen = () => socket.send(JSON.stringify({ type: "auth", token: identity.token }))
  })
  return {
    subscribe: async (channel, filters) => {
      const id = ++lastId
      const answer = await answerTo(id, () => socket.send(JSON.stringify({ type: "subscribe", id, channel, filters })))
      return answer["filters_applied"] as object
    },
    messages: queue,
    failureOf,
    close,
  }
}
