import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { Role } from "../../../../protocols/domain/identity.ts"
import { forms } from "../../../../protocols/pose-api/forms.ts"
import { call, type Contract, readContract } from "../contract.ts"
import { type Gateway, startGateway } from "../harness.ts"

let gateway: Gateway
let contract: Contract
beforeAll(async () => {
  gateway = await startGateway()
  contract = await readContract(gateway)
})
afterEach(() => gateway.world.nodes.clear())
afterAll(() => gateway.stop())

describe.each(forms)("sensing nodes in the %s form", (form) => {
  const send = async (method: string, path: string, role: Role, body?: unknown) => {
    const request = { method, path, form, token: await gateway.token(role), body }
    const answer = await call(gateway.url, request)
    expect(contract.disagreements(request, path.replace("node-1", "{node_id}"), answer)).toEqual([])
    return { ...answer, data: form === "bare" ? answer.json : answer.json?.data }
  }
  const list = async () => (await send("GET", "/sensing-nodes", "operator")).data

  it("are enrolled with a key that is shown once", async () => {
    expect(await list()).toEqual({ network: { policy: "open", signed: false, unsigned_nodes: [] }, nodes: [] })
    const enrolled = await send("POST", "/sensing-nodes/node-1/enrolment", "admin")
    expect(enrolled.status).toBe(201)
    expect(enrolled.data).toMatchObject({ node_id: "node-1", standing: "enrolled", decided_by: "anna" })
    expect(enrolled.data.key).toMatch(/^wpk-\d+-[0-9a-f]{64}$/)
    const listed = await list()
    expect(listed.nodes).toHaveLength(1)
    expect(JSON.stringify(listed)).not.toContain(enrolled.data.key.slice(-64))
    expect(gateway.world.lines.join("\n")).not.toContain(enrolled.data.key.slice(-64))
  })

  it("are quarantined, released and revoked, with the reason; unsigned ones are listed", async () => {
    const quarantined = await send("POST", "/sensing-nodes/node-1/quarantine", "operator", { reason: "unknown box" })
    expect(quarantined.data).toMatchObject({ standing: "quarantined", reason: "unknown box", decided_by: "otto" })
    expect((await send("POST", "/sensing-nodes/node-1/release", "admin")).data).toMatchObject({ standing: "released" })
    expect((await list()).network).toEqual({ policy: "open", signed: false, unsigned_nodes: ["node-1"] })
    expect((await send("POST", "/sensing-nodes/node-1/revocation", "admin", { reason: "sold" })).status).toBe(204)
    expect((await list()).nodes).toMatchObject([{ standing: "revoked", reason: "sold" }])
    expect((await send("POST", "/sensing-nodes/node-1/release", "admin")).status).toBe(404)
  })

  it("require permissions for decisions", async () => {
    for (const act of ["enrolment", "revocation", "release"]) {
      expect((await send("POST", `/sensing-nodes/node-1/${act}`, "operator")).status, act).toBe(403)
    }
    expect((await send("POST", "/sensing-nodes/node-1/quarantine", "viewer")).status).toBe(403)
    expect((await send("GET", "/sensing-nodes", "viewer")).status).toBe(403)
    expect((await send("POST", "/sensing-nodes/node-1/revocation", "admin")).status).toBe(404)
    expect(gateway.world.nodes.size).toBe(0)
  })
})
