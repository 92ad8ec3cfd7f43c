/** The batches of a router reach it in order, whatever streams they take. */
import { Deferred, Random } from "effect"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeLanes } from "../../../deploy/source/ingest-lanes.ts"
import type { IngestStreams } from "../../../deploy/source/ingest-streams.ts"
import type { Held } from "../../../deploy/source/ingest-window.ts"

/** The streams to an address, which the test acknowledges. */
const makeAddress = () => {
  const held: Array<Held> = []
  const streams: IngestStreams = {
    run: () => Effect.never,
    waiting: () => held.length,
    progress: () => ({ acknowledged: 0, inFlight: 0 }),
    add: (batch) => void held.push(batch),
    forget: () => {},
    takeAll: () => held.splice(0),
  }
  return { streams, held, first: () => held.shift() }
}

const batchOf = (router: number, sequence: number): Held => ({
  routerId: `r${router}`,
  bytes: Uint8Array.of(router, sequence),
  acknowledged: Deferred.makeUnsafe(),
})

describe("lanes", () => {
  it("change the address when nothing is unacknowledged, and let new batches wait until then", () => {
    const [given, node] = [makeAddress(), makeAddress()]
    const lanes = makeLanes(given.streams)
    const [one, two, three] = [1, 2, 3].map((sequence) => batchOf(1, sequence)) as [Held, Held, Held]
    lanes.add(one)
    lanes.add(two)
    lanes.lead("r1", node.streams)
    lanes.add(three)
    lanes.done(given.first()!)
    expect([given.held, node.held]).toEqual([[two], []])
    lanes.done(given.first()!)
    expect([given.held, node.held]).toEqual([[], [three]])
    expect(lanes.isUsed(node.streams)).toBe(true)
  })

  it("return to the given address with all that the other has not acknowledged", () => {
    const [given, node] = [makeAddress(), makeAddress()]
    const lanes = makeLanes(given.streams)
    lanes.lead("r1", node.streams)
    lanes.lead("other", node.streams)
    const batches = [1, 2, 3].map((sequence) => batchOf(1, sequence))
    for (const batch of batches) lanes.add(batch)
    lanes.leave(node.streams)
    expect(given.held).toEqual(batches)
    expect([lanes.isUsed(node.streams), lanes.isUsed(given.streams)]).toEqual([false, true])
    for (const batch of batches) lanes.done(batch)
    expect(lanes.isUsed(given.streams)).toBe(false)
  })

  it("keep the order of each router through any series of changes", () =>
    Effect.gen(function* () {
      const addresses = [makeAddress(), makeAddress(), makeAddress()]
      const lanes = makeLanes(addresses[0]!.streams)
      const routers = [0, 1, 2, 3]
      const sent = routers.map(() => 0)
      const taken = routers.map((): Array<number> => [])
      const acknowledge = (address: ReturnType<typeof makeAddress>) => {
        const batch = address.first()
        if (batch === undefined) return
        const [router, sequence] = batch.bytes
        taken[router!]!.push(sequence!)
        lanes.done(batch)
      }
      for (let step = 0; step < 4_000; step++) {
        const router = yield* Random.nextIntBetween(0, 4, { halfOpen: true })
        const address = addresses[yield* Random.nextIntBetween(0, 3, { halfOpen: true })]!
        const what = yield* Random.nextIntBetween(0, 100, { halfOpen: true })
        if (what < 40) {
          if (sent[router]! < 250) lanes.add(batchOf(router, ++sent[router]!))
        } else if (what < 85) acknowledge(address)
        else if (what < 97) lanes.lead(`r${router}`, address.streams)
        else if (address !== addresses[0]) lanes.leave(address.streams)
      }
      while (addresses.some(({ held }) => held.length > 0)) addresses.forEach(acknowledge)
      for (const router of routers) {
        expect(taken[router]).toEqual(Array.from({ length: sent[router]! }, (_, i) => i + 1))
      }
      expect(Math.min(...sent)).toBeGreaterThan(200)
    }).pipe(Random.withSeed("lanes"), Effect.runPromise))
})
