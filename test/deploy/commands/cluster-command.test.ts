/** `wavepose service cluster` at a gateway on a real port: the nodes with their rooms, a node that is alone, and a caller without the role. */
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest"
import { showCluster } from "../../../deploy/commands/cluster-command.ts"
import { type Gateway, password, startGateway, users } from "../../gateways/pose/harness.ts"
import { makeWorld } from "../../gateways/pose/world.ts"

let gateway: Gateway
beforeAll(async () => void (gateway = await startGateway()))
afterAll(() => gateway.stop())
beforeEach(() => {
  Object.assign(gateway.world, makeWorld())
  vi.stubEnv("WAVEPOSE_API_KEY", "")
  vi.stubEnv("WAVEPOSE_ADMIN_USERNAME", users.operator)
  vi.stubEnv("WAVEPOSE_ADMIN_PASSWORD", password)
})
afterEach(() => void vi.unstubAllEnvs())

const printed = (json: boolean): Promise<string> =>
  Effect.gen(function* () {
    yield* showCluster({ url: gateway.url, json })
    return (yield* TestConsole.logLines).join("\n")
  }).pipe(Effect.provide(TestConsole.layer), Effect.runPromise)

const shards = { shards: 2, acquired: 2, released: 0, lost: 0, refreshFailures: 0, refreshMs: null }

it("lists each node with its state, its actors and its rooms", async () => {
  gateway.world.cluster = {
    members: [
      { address: "10.0.0.1:50052", healthy: true, groups: ["sensing", "home"], self: true },
      { address: "10.0.0.2:50052", healthy: false, groups: [], self: false },
    ],
    ...shards,
  }
  expect((await printed(false)).split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["NODE", "STATE", "HOSTS", "ROOMS"],
    ["10.0.0.1:50052", "healthy, answers this", "sensing, home", "living-room"],
    ["10.0.0.2:50052", "not reached", "gateways only", "none"],
  ])
  expect(JSON.parse(await printed(true)).nodes).toMatchObject([
    { address: "10.0.0.1:50052", healthy: true, answering: true, environments: ["living-room"] },
    { address: "10.0.0.2:50052", healthy: false, answering: false, environments: [] },
  ])
})

it("says that a node on the embedded database is alone", async () => {
  expect(await printed(false)).toBe("This node is alone, on the embedded database; it has all rooms.")
  expect(JSON.parse(await printed(true))).toEqual({ nodes: [] })
})

it("reports a caller who may not list the nodes, and says what a caller needs", async () => {
  vi.stubEnv("WAVEPOSE_ADMIN_USERNAME", users.viewer)
  await expect(printed(false)).rejects.toThrow(/rejected the request: .*viewer/)
  vi.stubEnv("WAVEPOSE_ADMIN_PASSWORD", "")
  await expect(printed(false)).rejects.toThrow(/Set WAVEPOSE_API_KEY.*listing the nodes needs the role operator/)
})
