/** The console's requests to a server that fails in several ways. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { send } from "../../../gateways/console/web/service/send.ts"

let server: Server

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/late") return
    if (request.url === "/half") {
      response.writeHead(200).write("{")
      return
    }
    if (request.url === "/page") return void response.writeHead(200).end("<html>")
    if (request.url === "/busy") {
      return void response.writeHead(503).end(JSON.stringify({ error: { code: "BUSY", message: "Busy." } }))
    }
    response.writeHead(200).end("{}")
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const ask = (path: string) =>
  send(
    new URL(path, `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    { limitMs: 100 },
    (response) => response.json(),
  )

it.each(
  [
    ["/late", "TIMEOUT", "The service has not answered within 0.1 s."],
    ["/half", "TIMEOUT", "The service has not answered within 0.1 s."],
    ["/page", "UNREADABLE", "The answer could not be read. Is another service at this address?"],
    ["/busy", "BUSY", "Busy."],
  ],
)("says what failed: %s", async (path, code, message) => {
  await expect(ask(path)).rejects.toMatchObject({ code, message })
})

it("reads an answer", async () => {
  expect(await ask("/here")).toEqual({})
})
