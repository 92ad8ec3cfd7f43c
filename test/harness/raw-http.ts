/** A client on a raw socket, which keeps its connection and returns the received bytes. */
import { connect } from "node:net"

interface RawAnswer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export interface RawClient {
  /** Sends a text and waits for an answer whose length is given; fails when the connection ends before. */
  readonly ask: (text: string) => Promise<RawAnswer>
  readonly end: () => void
  readonly closed: Promise<void>
}

const readAnswer = (held: string): RawAnswer | null => {
  const head = held.indexOf("\r\n\r\n")
  if (head < 0) return null
  const [first, ...lines] = held.slice(0, head).split("\r\n")
  const headers = new Map(lines.map((line) => {
    const colon = line.indexOf(":")
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  }))
  const body = held.slice(head + 4)
  const isWhole = Buffer.byteLength(body) >= Number(headers.get("content-length") ?? 0)
  return isWhole ? { status: Number(first!.split(" ")[1]), headers, body } : null
}

/** A request without a body, as text. */
export const rawRequest = (method: string, path: string, headers: Readonly<Record<string, string>> = {}): string =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: localhost",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ].join("\r\n")

export const upgradeHeaders = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
} as const

/** Connects, from this address of the loopback network. */
const connectRaw = (port: number, from = "127.0.0.1"): Promise<RawClient> =>
  new Promise((resolve, reject) => {
    let held = ""
    let look = () => {}
    const socket = connect({ port, host: "127.0.0.1", localAddress: from })
    const closed = new Promise<void>((done) => socket.once("close", () => done()))
    socket.on("data", (bytes) => {
      held += String(bytes)
      look()
    })
    socket.once("error", reject)
    socket.once("connect", () => {
      socket.on("error", () => {})
      resolve({
        ask: (text) =>
          new Promise((answered, failed) => {
            void closed.then(() => failed(new Error(`The connection ended after: ${held}`)))
            look = () => {
              const answer = readAnswer(held)
              if (answer === null) return
              held = ""
              look = () => {}
              answered(answer)
            }
            socket.write(text)
          }),
        end: () => void socket.destroy(),
        closed,
      })
    })
  })

/** The clients of a test: where a port is, and the end of all of them. */
export const rawClients = () => {
  const clients: Array<RawClient> = []
  return {
    join: async (port: number, from?: string): Promise<RawClient> => {
      const client = await connectRaw(port, from)
      clients.push(client)
      return client
    },
    end: (): void => {
      for (const client of clients.splice(0)) client.end()
    },
  }
}
