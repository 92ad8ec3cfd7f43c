/**
 * Streams of a sender to the nodes that have its routers, beside those to the address that it was given.
 *
 * Invariants:
 * 1. Only an address that `ingest-trust.ts` allows is connected to.
 * 2. No batch waits for a connection: a router is led to a node that has admitted the sender.
 * 3. A node that ends the first stream, or that answers nothing for `silentChecksMax` seconds, gives back all that it has, and its address is
 *    left alone for a while. The streams of one that no router uses are closed.
 * 4. Every `askEveryMs` a batch of each router goes to the given address, whose answer says where the router is now: a node that has lost the
 *    database goes on taking batches of rooms that have moved.
 */
import { Effect, type Scope } from "effect"
import { monotonicMs } from "../../actors/runtime/monotonic.ts"
import { endReason } from "../../gateways/grpc/connection-failure.ts"
import type { IngestAck } from "../../protocols/grpc/ingest-ack.ts"
import { type IngestClientOptions, openChannel, openStream } from "./ingest-channel.ts"
import type { Lanes } from "./ingest-lanes.ts"
import type { IngestStreams } from "./ingest-streams.ts"
import { trusts } from "./ingest-trust.ts"

const nodesMax = 64
const checkEveryMs = 1_000
/** A mistake costs no batch. */
const silentChecksMax = 3
const unusedChecksMax = 30
const askEveryMs = 1_000
/** How long an address is left alone: at first after it worked, and at most after it never did. */
const avoidMsMin = 5_000
const avoidMsMax = 600_000

interface Node {
  readonly streams: IngestStreams
  isOpen: boolean
  isUsed: boolean
}

interface Avoided {
  readonly untilMs: number
  readonly waitMs: number
}

/** Null: no router uses the node. */
type Ending = { readonly reason: string; readonly acknowledged: number } | null

/** Returns when the node is silent or unused. */
const watch = Effect.fnUntraced(function* (node: Node, lanes: Lanes): Effect.fn.Return<Ending> {
  let [silentChecks, unusedChecks, acknowledged] = [0, 0, 0]
  while (true) {
    yield* Effect.sleep(checkEveryMs)
    const now = node.streams.progress()
    const waits = !node.isOpen || now.inFlight > 0
    silentChecks = waits && now.acknowledged === acknowledged ? silentChecks + 1 : 0
    unusedChecks = lanes.isUsed(node.streams) ? 0 : unusedChecks + 1
    acknowledged = now.acknowledged
    if (silentChecks >= silentChecksMax) return { reason: `no answer within ${silentChecksMax} s`, acknowledged }
    if (unusedChecks >= unusedChecksMax) return null
  }
})

/** Opens the streams to a node; returns when they have ended. */
const serve = Effect.fnUntraced(
  function* (
    options: IngestClientOptions,
    address: string,
    node: Node,
    lanes: Lanes,
  ): Effect.fn.Return<Ending, never, Scope.Scope> {
    const client = yield* openChannel(options, address)
    const open = () => {
      const call = openStream(client, options)
      // The node has admitted this sender.
      call.once("metadata", () => {
        node.isOpen = true
      })
      return call
    }
    const ended = Effect.map(
      node.streams.run(open),
      ({ acknowledged, status }): Ending => ({ reason: endReason(status), acknowledged }),
    )
    return yield* Effect.raceFirst(ended, watch(node, lanes))
  },
  Effect.scoped,
)

/** The addresses that are left alone for a while. */
const makeAvoided = () => {
  const avoided = new Map<string, Avoided>()
  return {
    has: (address: string) => Effect.map(monotonicMs, (nowMs) => (avoided.get(address)?.untilMs ?? -Infinity) > nowMs),
    /** Returns whether this is news. */
    add: Effect.fnUntraced(function* (address: string, hasWorked: boolean) {
      const before = avoided.get(address)
      const waitMs = hasWorked || before === undefined ? avoidMsMin : Math.min(2 * before.waitMs, avoidMsMax)
      if (avoided.size >= nodesMax) avoided.clear()
      avoided.set(address, { untilMs: (yield* monotonicMs) + waitMs, waitMs })
      return waitMs === avoidMsMin
    }),
  }
}

/** Follows what nodes say of their routers. `given` has the streams to the given address. */
export const makeNodes = Effect.fnUntraced(function* (
  options: IngestClientOptions,
  makeStreams: () => IngestStreams,
  given: IngestStreams,
  lanes: Lanes,
) {
  const nodes = new Map<string, Node>()
  const avoided = makeAvoided()
  /** The routers that another node has, with the time from which `askEveryMs` counts; null until its first answer. */
  const askedMs = new Map<string, number | null>()
  const scope = yield* Effect.scope

  const ended = Effect.fnUntraced(function* (address: string, ending: Ending) {
    if (ending === null || !(yield* avoided.add(address, ending.acknowledged > 0))) return
    yield* Effect.logInfo("a node is not reached directly; its batches go through the given address", {
      node: address,
      address: options.address,
      reason: ending.reason,
    })
  })

  const join = Effect.fnUntraced(function* (address: string) {
    if (nodes.size >= nodesMax || (yield* avoided.has(address))) return
    const node: Node = { streams: makeStreams(), isOpen: false, isUsed: false }
    nodes.set(address, node)
    const leave = Effect.sync(() => {
      nodes.delete(address)
      lanes.leave(node.streams)
    })
    const served = Effect.ensuring(serve(options, address, node, lanes), leave)
    yield* Effect.forkIn(Effect.flatMap(served, (ending) => ended(address, ending)), scope)
  })

  const goBack = (routerId: string): void => {
    askedMs.delete(routerId)
    lanes.lead(routerId, given)
  }

  /** Has the next batch of a router go to the given address, if its place was not asked for a while. */
  const askAgain = (routerId: string): Effect.Effect<void> => {
    const lastMs = askedMs.get(routerId)
    if (lastMs === undefined) return Effect.void
    return Effect.map(monotonicMs, (nowMs) => {
      if (lastMs === null) askedMs.set(routerId, nowMs)
      else if (nowMs - lastMs >= askEveryMs) goBack(routerId)
    })
  }

  return (routerId: string, { errorCode, nodeAddress: address }: IngestAck): Effect.Effect<void> =>
    Effect.suspend(() => {
      // A node that has lost its cluster does not know where the router is.
      if (errorCode === "unavailable" || address === options.address) return Effect.sync(() => goBack(routerId))
      if (address === undefined) return askAgain(routerId)
      const node = nodes.get(address)
      if (node === undefined) return trusts(options.address, options, address) ? join(address) : Effect.void
      if (!node.isOpen) return Effect.void
      lanes.lead(routerId, node.streams)
      askedMs.set(routerId, null)
      if (node.isUsed) return Effect.void
      node.isUsed = true
      return Effect.logInfo("sending batches to the node that has their routers", { address })
    })
})
