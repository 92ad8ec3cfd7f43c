/**
 * Sends a case of the contract to a server and records its answers in a form that two servers can share: times, ids and versions are masked.
 */
import { WebSocket } from "ws"

/** The messages that a step waits for, beside the answer to its own; they belong to subscriptions. */
interface Expected {
  readonly events?: number
}

/** A request over REST; a body that is a text is sent as it is. */
interface RestStep extends Expected {
  readonly rest: readonly [method: "GET" | "POST" | "DELETE", path: string, body?: unknown]
}

/** A message of the WebSocket, under the next id unless it has one; a text is sent as it is. */
interface SocketStep extends Expected {
  readonly ws: object | string
  /** The server closes the connection. */
  readonly closes?: boolean
}

export type Step = RestStep | SocketStep

interface Server {
  readonly url: string
  readonly token: string
}

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** How long a step waits for its messages. */
const answerMsMax = 3_000

const time = /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?\+00:00/g
const ulid = /\b[0-9A-HJKMNP-TV-Z]{26}\b/g
const hex = /\b[0-9a-f]{32}\b/g
const version = /\b20\d\d\.\d{1,2}\.\d+\b/g
const secondsMin = 1_000_000_000

const maskedText = (text: string): string =>
  text.replaceAll(time, "<time>").replaceAll(ulid, "<id>").replaceAll(hex, "<id>").replaceAll(version, "<version>")

const masked = (value: Json): Json => {
  if (typeof value === "string") return maskedText(value)
  if (typeof value === "number") return value > secondsMin && value < 2 * secondsMin ? "<seconds>" : value
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([key, part]) => [key, masked(part as Json)]),
  )
}

/** The answer to a request: status, type and body; JSON keeps the notation of its numbers. */
const askRest = async ({ token, url }: Server, [method, path, body]: RestStep["rest"]): Promise<Json> => {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const type = response.headers.get("content-type")?.split(";")[0] ?? null
  return { status: response.status, type, body: type === "application/json" ? exactJson(text) : maskedText(text) }
}

/** The value of a JSON text, with numbers that JavaScript cannot hold as the texts that they were written as. */
const exactJson = (text: string): Json => {
  const keep = (_: string, value: Json, context?: { readonly source?: string }): Json =>
    typeof value === "number" && context?.source !== undefined && String(value) !== context.source
      ? `<number ${context.source}>`
      : value
  const parse = JSON.parse as (text: string, reviver: typeof keep) => Json
  return masked(parse(text, keep))
}

interface Connection {
  readonly send: (message: object | string) => void
  /** The messages since the last call: at least `count`, or what came in time. */
  readonly take: (count: number, closes: boolean) => Promise<ReadonlyArray<Json>>
  readonly close: () => void
}

/** An authenticated connection. */
const connect = ({ token, url }: Server): Promise<Connection> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/websocket`)
    let received: Array<Json> = []
    let changed = () => {}
    let lastId = 0
    const add = (message: Json) => {
      received.push(message)
      changed()
    }
    const connection: Connection = {
      send: (message) => {
        const id = typeof message === "object" && "id" in message ? message.id : ++lastId
        if (typeof id === "number") lastId = Math.max(lastId, Math.trunc(id))
        socket.send(typeof message === "string" ? message : JSON.stringify({ id, ...message }))
      },
      take: async (count, closes) => {
        const enough = () => received.length >= count && (!closes || received.at(-1) === "<closed>")
        const late = AbortSignal.timeout(answerMsMax)
        if (!enough()) {
          await new Promise<void>((done) => {
            late.addEventListener("abort", () => done())
            changed = () => enough() ? done() : undefined
          })
        }
        const taken = received
        received = []
        return taken
      },
      close: () => socket.terminate(),
    }
    socket.on("message", (data) => {
      const text = data.toString()
      const { type } = JSON.parse(text)
      if (type === "auth_required") return socket.send(JSON.stringify({ type: "auth", access_token: token }))
      if (type === "auth_ok") return resolve(connection)
      add(exactJson(text))
    })
    socket.on("close", () => add("<closed>"))
    socket.on("error", reject)
  })

/** Runs the steps of a case, one after the other. Returns the answers of each step. */
export const runCase = async (server: Server, steps: ReadonlyArray<Step>): Promise<ReadonlyArray<Json>> => {
  const answers: Array<Json> = []
  let connection: Connection | null = null
  for (const step of steps) {
    if ("rest" in step) {
      const answer = await askRest(server, step.rest)
      const events = step.events ?? 0
      answers.push(
        events === 0 || connection === null ? answer : { answer, events: await connection.take(events, false) },
      )
    } else {
      connection ??= await connect(server)
      connection.send(step.ws)
      const closes = step.closes ?? false
      answers.push(await connection.take((closes ? 0 : 1) + (step.events ?? 0), closes))
    }
  }
  connection?.close()
  return answers
}
