/**
 * How a gateway ends: requests under way are answered, and those that do not end are cut.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { latest, status } from "./cases/case.ts"
import { call } from "./contract.ts"
import { type Gateway, startGateway } from "./harness.ts"

let gateway: Gateway

beforeEach(async () => {
  gateway = await startGateway()
})
afterEach(() => gateway.stop())

describe("stopping", () => {
  it("lets a request in progress finish, and accepts no new connection", async () => {
    const gate = Promise.withResolvers<void>()
    gateway.world.gate = gate.promise
    const asked = Promise.withResolvers<void>()
    const { latest: answer } = gateway.world
    gateway.world.latest = (environmentId) => {
      asked.resolve()
      return answer(environmentId)
    }
    const underWay = call(gateway.url, { ...latest, token: await gateway.token("viewer") })
    await asked.promise
    const stopping = gateway.stop()
    gate.resolve()
    expect((await underWay).status).toBe(200)
    await stopping
    await expect(fetch(gateway.url)).rejects.toThrow()
  })

  it("cuts off a request that does not finish", async () => {
    const asked = Promise.withResolvers<void>()
    gateway.world.describe = () => {
      asked.resolve()
      return "silent"
    }
    const cut = expect(call(gateway.url, { ...status, token: await gateway.token("viewer") })).rejects.toThrow()
    await asked.promise
    await gateway.stop()
    await cut
  })
})
