/** The short matrix of faults on two real nodes: nothing that a client saw is lost, nothing is stored twice, and all rooms recover. */
import { describe, expect, it } from "vitest"
import { hasPostgres } from "../../harness/postgres.ts"
import { shortMatrix } from "./matrix.ts"
import { runMatrix } from "./run-matrix.ts"
import { startFaultWorld } from "./world.ts"

describe.skipIf(!await hasPostgres())("two nodes under faults", () => {
  it("lose nothing and store nothing twice", async () => {
    const world = await startFaultWorld()
    const rows = await runMatrix(world, shortMatrix).finally(world.stop)
    for (const { fault, lostHops, silenceMs, writes } of rows) {
      console.info(`${fault}: silence ${silenceMs} ms, ${lostHops} acknowledged hops lost, writes`, writes)
    }
    expect(rows.flatMap(({ fault, violations }) => violations.map((violation) => `${fault}: ${violation}`))).toEqual([])
    expect(rows.length).toBe(shortMatrix.length)
  }, 480_000)
})
