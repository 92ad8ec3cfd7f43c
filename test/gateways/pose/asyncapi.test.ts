import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type Form, forms } from "../../../protocols/pose-api/forms.ts"
import { clientMessages, closeCode } from "../../../protocols/pose-api/socket-messages.ts"
import { call } from "./contract.ts"
import { makeFrame, makePerson, share } from "./frames.ts"
import { type Gateway, startGateway } from "./harness.ts"
import { connectSocket } from "./socket-client.ts"

let gateway: Gateway
// deno-lint-ignore no-explicit-any
let document: any
let ajv: Ajv2020

beforeAll(async () => {
  gateway = await startGateway()
  document = (await call(gateway.url, { method: "GET", path: "/asyncapi.json" })).json
  ajv = new Ajv2020({ strict: false, allErrors: true }) // deno-lint-ignore no-explicit-any
  ;(addFormats as any)(ajv)
  ajv.addSchema({ $id: "ws", ...document })
})
afterAll(() => gateway?.stop())

/** What the document says against a message; empty: it conforms. */
const errorsOf = (name: string, message: unknown): ReadonlyArray<string> => {
  const validate = ajv.getSchema(`ws#/components/messages/${name}/payload`)!
  return validate(message) ? [] : validate.errors!.map(({ instancePath, message: text }) => `${instancePath} ${text}`)
}

describe("the AsyncAPI document", () => {
  it("names each way to authenticate in the query", () => {
    expect(Object.keys(document.channels.pose.bindings.ws.query.properties)).toEqual(["ticket", "token", "form"])
  })

  it("names every close code and every type of client message", () => {
    for (const code of Object.values(closeCode)) expect(document.info.description).toContain(`| ${code} |`)
    const { schemas } = document.components
    const types = new Set(
      // deno-lint-ignore no-explicit-any
      Object.values<any>(schemas).flatMap((schema) => schema.properties?.type?.enum ?? []),
    )
    for (const type of Object.keys(clientMessages)) expect(types).toContain(type)
  })

  it.each(forms)("describes the messages of a connection in the %s form", async (form: Form) => {
    const token = await gateway.token("viewer")
    const client = await connectSocket(gateway.url, { query: `?form=${form}&token=${token}` })
    expect(errorsOf("connectionEstablished", await client.next("connection_established"))).toEqual([])
    const subscribe = { type: "subscribe", id: 1, channel: "pose_updates", filters: { environment_id: "living-room" } }
    expect(errorsOf("subscribePoseUpdates", subscribe)).toEqual([])
    client.send(subscribe)
    expect(errorsOf("subscriptionConfirmed", await client.next("subscription_confirmed"))).toEqual([])
    await vi.waitFor(() => expect(gateway.world.watched.get("living-room")?.size).toBe(1))
    gateway.world.publish(share(makeFrame({ frameId: 1, persons: [makePerson(41, 0.9)] })))
    expect(errorsOf("poseUpdate", await client.next("pose_update"))).toEqual([])
    client.send({ type: "ping", id: "a" })
    expect(errorsOf("pong", await client.next("pong"))).toEqual([])
    client.send({ type: "nothing" })
    expect(errorsOf("error", await client.next("error"))).toEqual([])
    expect(errorsOf("pong", { type: "pong" })).not.toEqual([])
    client.socket.close()
  })
})
