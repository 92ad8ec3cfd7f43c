/** Leases of peers: which looks at a renewal make a peer one that has failed. */
import { Effect } from "effect"
import { RunnerAddress } from "effect/cluster"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { PeerLeases } from "../../../actors/runtime/peer-leases.ts"

const peer = RunnerAddress.make("peer", 1)

/** Looks a second apart at these renewals; the number of those after which the peer has lapsed. */
const lapsesIn = (renewals: ReadonlyArray<string | null>, apartMs = 1_000): Promise<ReadonlyArray<number>> => {
  let at = 0
  const leases = PeerLeases.make({
    renewalOf: () => Effect.succeed(renewals[at]!),
    isConnected: () => Effect.succeed(true),
    end: () => Effect.void,
  })
  const lapses: Array<number> = []
  return Effect.gen(function* () {
    for (; at < renewals.length; at++) {
      if (yield* leases.hasLapsed(peer)) lapses.push(at + 1)
      yield* TestClock.adjust(apartMs)
    }
    return lapses
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
}

const same = (looks: number) => Array.from({ length: looks }, () => "renewal 1")

it("lapse with the fourth look without a new renewal, and not after one", async () => {
  expect(await lapsesIn(same(6))).toEqual([5, 6])
  expect(await lapsesIn([...same(4), "renewal 2", ...same(4)])).toEqual([])
})

it("do not lapse while they cannot be read, as in an outage of the database", async () => {
  expect(await lapsesIn([...same(3), null, ...same(4)])).toEqual([])
  expect(await lapsesIn(Array.from({ length: 9 }, () => null))).toEqual([])
})

it("are not counted more often by looks in quick succession, nor by one look after a long pause", async () => {
  expect(await lapsesIn(same(9), 100)).toEqual([])
  expect(await lapsesIn(same(4), 60_000)).toEqual([])
})
