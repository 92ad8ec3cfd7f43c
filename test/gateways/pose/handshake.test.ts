/** Handshakes of the pose WebSocket that are rejected: each with an error object and the headers of every answer. */
import { type IncomingHttpHeaders, request } from "node:http"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Gateway, startGateway } from "./harness.ts"

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.stop())

interface Rejection {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  // deno-lint-ignore no-explicit-any
  readonly body: any
}

/** Asks for an upgrade that is rejected. */
const rejected = (path: string, { method = "GET", ...headers }: Record<string, string>) =>
  new Promise<Rejection>((resolve, reject) => {
    const asked = request({
      port: gateway.port,
      method,
      path,
      headers: {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version": "13",
        ...headers,
      },
    })
    asked.on("upgrade", () => reject(new Error("the handshake was accepted")))
    asked.on("error", reject)
    asked.on("response", (response) => {
      const chunks: Array<Uint8Array> = []
      response.on("data", (chunk: Uint8Array) => chunks.push(chunk))
      response.on("end", () => {
        const text = new TextDecoder().decode(Buffer.concat(chunks))
        resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(text) })
      })
    })
    asked.end()
  })

it.each([
  ["an unknown version", 400, "VALIDATION_ERROR", { "Sec-WebSocket-Version": "7" }],
  ["an invalid key", 400, "VALIDATION_ERROR", { "Sec-WebSocket-Key": "x" }],
  ["another protocol", 400, "VALIDATION_ERROR", { Upgrade: "h2c" }],
  ["another method", 405, "METHOD_NOT_ALLOWED", { method: "POST" }],
])("with %s have an error object and the headers of every answer", async (_, status, code, headers) => {
  const answer = await rejected("/ws/pose", headers)
  expect(answer).toMatchObject({ status, body: { error: { code } } })
  if (code === "VALIDATION_ERROR") expect(answer.headers["sec-websocket-version"]).toBe("13")
  expect(answer.headers).toMatchObject({
    "x-request-id": expect.any(String) as string,
    "x-response-form": "bare",
    "x-ratelimit-limit": expect.any(String) as string,
  })
})

it.each([
  ["form", "/ws/pose?form=Envelope", {}],
  ["X-Response-Form", "/ws/pose", { "X-Response-Form": "xml" }],
])("with an invalid form in %s are 422", async (field, path, headers) => {
  expect(await rejected(path, headers)).toMatchObject({
    status: 422,
    body: { error: { code: "VALIDATION_ERROR", details: { field_errors: [{ field }] } } },
  })
})
