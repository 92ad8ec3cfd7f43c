/** A local HTTP server that is a webhook's endpoint: answers as the test says, and keeps what it was sent. */
import { createHmac } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A status; undefined: whatever was done with the response, or nothing. */
type Answer = (received: Received, response: ServerResponse) => number | undefined

export const startEndpoint = async (tls?: { readonly key: string; readonly cert: string }) => {
  const received: Array<Received> = []
  const world: { answer: Answer } = { answer: () => 204 }
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (text) => body += text)
    request.on("end", () => {
      const one = { path: request.url!, headers: request.headers, body }
      received.push(one)
      const status = world.answer(one, response)
      if (status !== undefined) response.writeHead(status).end()
    })
  }
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    world,
    received,
    port,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}/hook?site=1`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Whether a receiver that knows the secret takes a message for genuine, as the convention says. */
export const isGenuine = ({ body, headers }: Received, key: Uint8Array | string): boolean => {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  return headers["webhook-signature"] === `v1,${createHmac("sha256", key).update(signed).digest("base64")}`
}
