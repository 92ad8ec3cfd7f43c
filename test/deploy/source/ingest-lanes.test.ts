/** The batches of a router reach it in order, whatever stream they take. */
import { Deferred, Random } from "effect"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeLanes } from "../../../deploy/source/ingest-lanes.ts"
import type { Held, IngestWindow } from "../../../deploy/source/ingest-window.ts"

/** A stream that the test acknowledges. */
const makeStream = () => {
  const held: Array<Held> = []
  const window: IngestWindow = {
    run: () => Effect.never,
    waiting: () => held.length,
    progress: () => ({ acknowledged: 0, inFlight: 0 }),
    add: (batch) => void held.push(batch),
    forget: () => {},
    takeAll: () => held.splice(0),
  }
  return { window, held, first: () => held.shift() }
}

const batchOf = (router: number, sequence: number): Held => ({
  bytes: Uint8Array.of(router, sequence),
  acknowledged: Deferred.makeUnsafe(),
})

describe("lanes", () => {
  it("change the stream when nothing is unacknowledged, and let new batches wait until then", () => {
    const [given, node] = [makeStream(), makeStream()]
    const lanes = makeLanes(given.window)
    const [one, two, three] = [1, 2, 3].map((sequence) => batchOf(1, sequence)) as [Held, Held, Held]
    lanes.add("r", one)
    lanes.add("r", two)
    lanes.lead("r", node.window)
    lanes.add("r", three)
    lanes.done("r", given.first()!)
    expect([given.held, node.held]).toEqual([[two], []])
    lanes.done("r", given.first()!)
    expect([given.held, node.held]).toEqual([[], [three]])
    expect(lanes.isUsed(node.window)).toBe(true)
  })

  it("return to the given stream with all that the other has not acknowledged", () => {
    const [given, node] = [makeStream(), makeStream()]
    const lanes = makeLanes(given.window)
    lanes.lead("r", node.window)
    lanes.lead("other", node.window)
    const batches = [1, 2, 3].map((sequence) => batchOf(1, sequence))
    for (const batch of batches) lanes.add("r", batch)
    lanes.leave(node.window)
    expect(given.held).toEqual(batches)
    expect([lanes.isUsed(node.window), lanes.isUsed(given.window)]).toEqual([false, true])
    for (const batch of batches) lanes.done("r", batch)
    expect(lanes.isUsed(given.window)).toBe(false)
  })

  it("keep the order of each router through any series of changes", () =>
    Effect.gen(function* () {
      const streams = [makeStream(), makeStream(), makeStream()]
      const lanes = makeLanes(streams[0]!.window)
      const routers = [0, 1, 2, 3]
      const sent = routers.map(() => 0)
      const taken = routers.map((): Array<number> => [])
      const acknowledge = (stream: ReturnType<typeof makeStream>) => {
        const batch = stream.first()
        if (batch === undefined) return
        const [router, sequence] = batch.bytes
        taken[router!]!.push(sequence!)
        lanes.done(`r${router}`, batch)
      }
      for (let step = 0; step < 4_000; step++) {
        const router = yield* Random.nextIntBetween(0, 4, { halfOpen: true })
        const stream = streams[yield* Random.nextIntBetween(0, 3, { halfOpen: true })]!
        const what = yield* Random.nextIntBetween(0, 100, { halfOpen: true })
        if (what < 40) {
          if (sent[router]! < 250) lanes.add(`r${router}`, batchOf(router, ++sent[router]!))
        } else if (what < 85) acknowledge(stream)
        else if (what < 97) lanes.lead(`r${router}`, stream.window)
        else if (stream !== streams[0]) lanes.leave(stream.window)
      }
      while (streams.some(({ held }) => held.length > 0)) streams.forEach(acknowledge)
      for (const router of routers) {
        expect(taken[router]).toEqual(Array.from({ length: sent[router]! }, (_, i) => i + 1))
      }
      expect(Math.min(...sent)).toBeGreaterThan(200)
    }).pipe(Random.withSeed("lanes"), Effect.runPromise))
})
