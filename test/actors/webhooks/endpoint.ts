/** A local HTTP server as the endpoint of a webhook. The test sets its answers; it records the requests. */
import { createHmac } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A status; undefined when the function answers itself or not at all. */
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

/** Whether a message has the valid signature of the convention for this secret. */
export const isGenuine = ({ body, headers }: Received, key: Uint8Array | string): boolean => {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  return headers["webhook-signature"] === `v1,${createHmac("sha256", key).update(signed).digest("base64")}`
}
