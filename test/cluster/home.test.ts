/**
 * The home-automation runtime on two nodes: writes at one node are published at the other, and states survive the loss of a node.
 */
import { createConnection, createLongLivedTokenAuth, getStates } from "home-assistant-js-websocket"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres, startPostgres } from "../harness/postgres.ts"
import { eventually, startService, type TestService } from "../harness/service.ts"

const token = "a-token-of-the-settings"

describe.skipIf(!(await hasPostgres()))("two nodes of a home", () => {
  let postgres: { readonly url: string; readonly stop: () => Promise<void> }
  let nodes: ReadonlyArray<TestService>

  beforeAll(async () => {
    postgres = (await startPostgres())!
    const env = { DATABASE_URL: postgres.url, WAVEPOSE_HOME_TOKENS: token, WAVEPOSE_BRIDGE: "off" }
    const first = await startService({ env })
    nodes = [first, await startService({ env })]
  }, 120_000)
  afterAll(async () => {
    await Promise.all((nodes ?? []).map((node) => node.kill()))
    await postgres?.stop()
  }, 30_000)

  const set = (node: TestService, entityId: string, state: string) =>
    fetch(`${node.home}/api/states/${entityId}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ state }),
    })

  it("publishes every change on every node in one order, and loses none with a node", async () => {
    const connections = await Promise.all(
      nodes.map((node) => createConnection({ auth: createLongLivedTokenAuth(node.home, token) })),
    )
    const heard = nodes.map(() => [] as Array<string>)
    await Promise.all(
      connections.map((connection, i) =>
        connection.subscribeEvents<{ data: { entity_id: string; new_state: { state: string } } }>(
          ({ data }) => {
            if (data.entity_id.startsWith("sensor.c")) heard[i]!.push(`${data.entity_id}=${data.new_state.state}`)
          },
          "state_changed",
        )
      ),
    )
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        for (let state = 0; state < 5; state++) {
          expect((await set(nodes[(n + state) % 2]!, `sensor.c${n}`, String(state))).ok).toBe(true)
        }
      }),
    )
    await eventually(() => Promise.resolve(heard), (all) => all.every(({ length }) => length >= 100))
    expect(heard[0]).toHaveLength(100)
    expect(heard[1]).toEqual(heard[0])
    for (let n = 0; n < 20; n++) {
      const states = heard[0]!.filter((text) => text.startsWith(`sensor.c${n}=`)).map((text) => text.split("=")[1])
      expect(states).toEqual(["0", "1", "2", "3", "4"])
    }

    // Whichever node runs the bus: the other one continues with all answered writes.
    const doomed = nodes[0]!.output().includes("home bus started generation=") ? 0 : 1
    const [left, connection] = [nodes[1 - doomed]!, connections[1 - doomed]!]
    connections[doomed]!.close()
    await nodes[doomed]!.kill()
    await eventually(() => set(left, "sensor.c0", "5"), ({ ok }) => ok, 30_000)
    await eventually(() => Promise.resolve(heard[1 - doomed]!), (all) => all.at(-1) === "sensor.c0=5")
    const states = (await getStates(connection)).filter(({ entity_id }) => entity_id.startsWith("sensor.c"))
    expect(states.map(({ state }) => state).sort()).toEqual([...new Array(19).fill("4"), "5"])
    expect(heard[1 - doomed]!.slice(100)).toEqual(["sensor.c0=5"])
    connection.close()
  }, 120_000)
})
