/** Identities of sensing nodes in the embedded database: decided by operators, checked and reported by listeners. */
import { Effect, Logger, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { beforeEach, describe, expect, it } from "vitest"
import { layerNodeRegistry } from "../../../../actors/store/sensing/node-identities.ts"
import { layerStores } from "../../../../deploy/composition/service.ts"
import { nodesMax } from "../../../../protocols/domain/node-identity.ts"
import { NodeAllowlists, NodeIdentities, NodeRegistry } from "../../../../protocols/ports/node-identities.ts"
import type { TestDatabase } from "../../../harness/database.ts"
import { useStores } from "../../../harness/stores.ts"

const keysOf = (fill: number) => ({
  given: [Redacted.make(Buffer.alloc(32, fill).toString("base64"))],
  file: "/dev/null",
  mayMake: false,
})
const layerOf = ({ location }: TestDatabase, fill = 1) => layerStores(location, { keys: keysOf(fill), privacy: null })

describe("node identities in the store", () => {
  const { run, database } = useStores(layerOf)
  beforeEach(() => run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM sensing_nodes`)))

  const identities = <A, E>(use: (port: NodeIdentities["Service"]) => Effect.Effect<A, E>) =>
    run(Effect.flatMap(NodeIdentities, use))
  const allowlists = <A, E>(use: (port: NodeAllowlists["Service"]) => Effect.Effect<A, E>) =>
    run(Effect.flatMap(NodeAllowlists, use))
  const keyNumbers = async () =>
    (await allowlists(({ current }) => current)).keys.map(({ keyNumber }) => keyNumber).sort()

  it("give a node a key that listeners check with, sealed in between", async () => {
    const { key, keyNumber, node } = await identities(({ enrol }) => enrol("node-1", "anna"))
    expect(key).toHaveLength(32)
    expect(node).toMatchObject({ nodeId: "node-1", standing: "enrolled", decidedBy: "anna", keyNumbers: [keyNumber] })
    const allowlist = await allowlists(({ current }) => current)
    expect(allowlist.standings).toEqual(new Map([["node-1", "enrolled"]]))
    expect(allowlist.keys).toEqual([{ keyNumber, nodeId: "node-1", key, position: null }])
    const [row] = await run(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ sealed: Uint8Array }>`SELECT sealed FROM node_keys`),
    )
    expect(Buffer.from(row!.sealed).includes(Buffer.from(key))).toBe(false)
  })

  it("leave out a key that this node cannot open, with one warning that names the node, and keep the others", async () => {
    await identities(({ enrol }) => enrol("node-1", "anna"))
    const warnings: Array<unknown> = []
    const log = Logger.layer([Logger.make(({ message }) => void warnings.push(message))])
    const stranger = ManagedRuntime.make(layerOf(database(), 2))
    const { key, keyNumber } = await stranger.runPromise(
      Effect.flatMap(NodeIdentities, ({ enrol }) => enrol("node-2", "anna")),
    )
    const read = Effect.flatMap(NodeAllowlists, ({ current }) => current).pipe(Effect.provide(log))
    await stranger.runPromise(read)
    const allowlist = await stranger.runPromise(read)
    await stranger.dispose()
    expect(allowlist.standings.size).toBe(2)
    expect(allowlist.keys).toEqual([{ keyNumber, nodeId: "node-2", key, position: null }])
    expect(warnings).toHaveLength(1)
    expect(`${warnings}`).toMatch(/node-1.*WAVEPOSE_ENCRYPTION_KEY/)
  })

  it("keep the older of two keys until the newer one is used, and never three", async () => {
    const enrol = async () => (await identities((port) => port.enrol("node-1", "anna"))).keyNumber
    const first = await enrol()
    const second = await enrol()
    expect(await keyNumbers()).toEqual([first, second])
    const third = await enrol()
    expect(await keyNumbers()).toEqual([second, third])
    const report = (keyNumber: number) => allowlists((port) => port.report([], [{ keyNumber, epoch: 1, sequence: 0 }]))
    await report(second)
    expect(await keyNumbers()).toEqual([second, third])
    await report(third)
    expect(await keyNumbers()).toEqual([third])
  })

  it("remember how far a key has come, never going back, whatever is reported late", async () => {
    const { keyNumber } = await identities((port) => port.enrol("node-1", "anna"))
    const position = async () => (await allowlists(({ current }) => current)).keys[0]!.position
    const steps = [
      [{ epoch: 4_000_000_000, sequence: 4_294_967_295 }, { epoch: 4_000_000_000, sequence: 4_294_967_295 }],
      [{ epoch: 3_999_999_999, sequence: 9 }, { epoch: 4_000_000_000, sequence: 4_294_967_295 }],
      [{ epoch: 4_000_000_001, sequence: 0 }, { epoch: 4_000_000_001, sequence: 0 }],
    ] as const
    for (const [reported, kept] of steps) {
      await allowlists(({ report }) => report([], [{ keyNumber, ...reported }]))
      expect(await position()).toEqual(kept)
    }
  })

  it("go from one standing to the next as operators decide", async () => {
    const standing = async (nodeId: string) =>
      (await identities(({ all }) => all)).find((node) => node.nodeId === nodeId)?.standing
    await allowlists(({ report }) => report([{ nodeId: "node-2", atMs: 5_000, signed: false }], []))
    expect(await standing("node-2")).toBe("seen")
    expect(await identities((port) => port.quarantine("node-2", "unknown box", "otto"))).toMatchObject({
      standing: "quarantined",
      reason: "unknown box",
      firstSeenMs: 5_000,
    })
    expect((await identities((port) => port.release("node-2", "otto")))?.standing).toBe("released")
    await identities((port) => port.enrol("node-2", "otto"))
    await identities((port) => port.quarantine("node-2", null, "otto"))
    expect((await allowlists(({ current }) => current)).keys).toHaveLength(1)
    // Who has a key is not taken without it again.
    expect((await identities((port) => port.release("node-2", "otto")))?.standing).toBe("enrolled")
    expect(await identities((port) => port.revoke("node-2", "sold", "otto"))).toBe(true)
    expect((await allowlists(({ current }) => current)).keys).toEqual([])
    expect(await identities((port) => port.release("node-2", "otto"))).toBe(null)
    expect(await standing("node-2")).toBe("revoked")
    await identities((port) => port.enrol("node-2", "otto"))
    expect(await standing("node-2")).toBe("enrolled")
    expect(await identities((port) => port.revoke("node-99", null, "otto"))).toBe(false)
    expect(await identities((port) => port.release("node-99", "otto"))).toBe(null)
  })

  it("remember when a node was heard, and no more nodes than they may; the long silent give way", async () => {
    const dayMs = 86_400_000
    const heard = (count: number, atMs: number, name: string) =>
      Array.from({ length: count }, (_, i) => ({ nodeId: `${name}-${i}`, atMs, signed: false }))
    const count = async () => (await identities(({ all }) => all)).length
    await allowlists(({ report }) => report(heard(nodesMax, dayMs, "old"), []))
    await allowlists(({ report }) => report(heard(3, 2 * dayMs, "new"), []))
    expect(await count()).toBe(nodesMax)
    await allowlists(({ report }) =>
      report([{ nodeId: "old-7", atMs: 40 * dayMs, signed: true }, ...heard(3, 40 * dayMs, "new")], [])
    )
    await allowlists(({ report }) => report(heard(3, 40 * dayMs, "new"), []))
    const all = await identities(({ all }) => all)
    expect(all.map(({ nodeId }) => nodeId)).toEqual(["new-0", "new-1", "new-2", "old-7"])
    expect(all[3]).toMatchObject({ firstSeenMs: dayMs, lastSeenMs: 40 * dayMs, lastSigned: true })
  })

  it("give the registry each node's standing under the policy, and the trust of the network", async () => {
    await identities((port) => port.enrol("node-1", "anna"))
    await allowlists(({ report }) =>
      report([
        { nodeId: "node-1", atMs: 1, signed: true },
        { nodeId: "node-2", atMs: 1, signed: false },
      ], [])
    )
    const ask = (policy: "open" | "required") =>
      run(
        Effect.gen(function* () {
          const { network, standingOf } = yield* NodeRegistry
          return {
            standings: yield* Effect.forEach(["node-1", "node-2", "by-grpc"], standingOf),
            network: yield* network,
          }
        }).pipe(Effect.provide(layerNodeRegistry(policy))),
      )
    expect(await ask("open")).toEqual({
      standings: [
        { standing: "enrolled", signed: true },
        { standing: "seen", signed: false },
        { standing: "seen", signed: null },
      ],
      network: { policy: "open", signed: false, unsignedNodes: ["node-2"] },
    })
    expect(await ask("required")).toMatchObject({
      standings: [{ standing: "enrolled" }, { standing: "quarantined" }, { standing: "seen" }],
      network: { policy: "required", signed: true, unsignedNodes: [] },
    })
  })
})
