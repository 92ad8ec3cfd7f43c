/**
 * The clients of a run: routers that send batches, and readers of frames. They use the true time, and reconnect to another node.
 */
import { Effect, Fiber, type Scope, Stream } from "effect"
import { hopUs } from "../../core/observation/observation.ts"
import { resumeAfter } from "../../gateways/frames/resumed-frames.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import type { SeenFrame } from "../../sim/cluster/checker.ts"
import type { World } from "../../sim/cluster/world.ts"
import { batchOf } from "./batches.ts"
import type { Fleet } from "./fleet.ts"
import type { SimulatedNode } from "./node.ts"

const hopMs = hopUs / 1000
/** A router sends in every fourth hop: a quarter of the work, and a hop still ends before its router counts as absent. */
const hopsApart = 4
/** A device keeps this many hops while no node accepts them. */
const keptHops = 20
const answerMsMax = 4_000
const retryMs = 100
/** A reader connects to another node after so much silence. */
const silenceMsMax = 6_000
const checkMs = 500

/** A digest of 32 bits (FNV-1a), which is enough to notice other content. */
export const digestOf = (bytes: Uint8Array): string => {
  let h = 0x811c9dc5
  for (const byte of bytes) h = Math.imul(h ^ byte, 0x01000193)
  return (h >>> 0).toString(16)
}

/** Waits until a process has ended, or a condition holds. */
const untilGone = (world: World, { process }: SimulatedNode, isOver: () => boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!process.hasEnded() && !isOver()) yield* world.sleep(checkMs)
  })

/**
 * Runs a call to a node as a client does: until it ends, or until `givenUp`. The work of a call that was given up is interrupted, and
 * not waited for. Null if the call failed or was given up.
 */
const callOf = <A, E>(
  call: Effect.Effect<A, E>,
  givenUp: Effect.Effect<void>,
): Effect.Effect<A | null, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkScoped(call)
    const exit = yield* Effect.raceFirst(Fiber.await(fiber), Effect.as(givenUp, null))
    if (exit === null) fiber.interruptUnsafe()
    return exit === null || exit._tag === "Failure" ? null : exit.value
  })

/**
 * Sends the hops of a router as they end, one after the other; each until a node has taken it.
 *
 * @param accepted is called with each hop that was acknowledged
 */
export const sendHops = Effect.fnUntraced(function* (
  world: World,
  fleet: Fleet,
  routerId: string,
  preferred: number,
  accepted: (hop: number) => void,
) {
  const epochMs = world.clock.currentTimeMillisUnsafe()
  let node = preferred
  const send = Effect.fnUntraced(function* (hop: number) {
    const arrival = { routerId, batchSequence: hop, batch: encodeCsiBatch(batchOf(routerId, hop)) }
    while (true) {
      const gateway = fleet.nodeFrom(node)
      const untilMs = world.nowMs() + answerMsMax
      const acks = gateway === null ? null : yield* callOf(
        gateway.ingest(routerId, [arrival]),
        untilGone(world, gateway, () => world.nowMs() > untilMs),
      )
      const ack = acks?.[0]
      if (ack !== undefined && ack.errorCode !== "unavailable") return ack.acceptedFrames > 0
      if (world.clock.currentTimeMillisUnsafe() - (hop + 1) * hopMs > keptHops * hopMs) return false
      node++
      yield* world.sleep(retryMs)
    }
  })
  for (let hop = Math.ceil(epochMs / hopMs);; hop += hopsApart) {
    const nowMs = world.clock.currentTimeMillisUnsafe()
    while (hop < Math.floor(nowMs / hopMs) - keptHops) hop += hopsApart
    const dueMs = (hop + 1) * hopMs
    if (dueMs > nowMs) yield* world.sleep(dueMs - nowMs)
    if (yield* send(hop)) accepted(hop)
    if (fleet.repeatsBatches) yield* send(hop)
  }
})

/** Reads the frames of an environment from its first on, and continues after the newest that it has seen. */
export const readFrames = Effect.fnUntraced(function* (
  world: World,
  fleet: Fleet,
  environmentId: string,
  preferred: number,
  seen: Array<SeenFrame>,
) {
  for (let number = preferred;; number++) {
    const node = fleet.nodeFrom(number)
    if (node !== null) {
      let heardMs = world.nowMs()
      const read = resumeAfter(environmentId, seen.at(-1)?.frameId ?? 0).pipe(
        Effect.map(({ frames }) => frames),
        Stream.unwrap,
        Stream.runForEach(({ shared: { bytes, frame } }) =>
          Effect.sync(() => {
            heardMs = world.nowMs()
            world.note(`reader ${environmentId} sees ${frame.frameId}`)
            seen.push({ frameId: frame.frameId, timestampMs: frame.timestampMs, digest: digestOf(bytes) })
          })
        ),
        Effect.provide(node.context),
      )
      yield* callOf(read, untilGone(world, node, () => world.nowMs() - heardMs > silenceMsMax))
    }
    yield* world.sleep(retryMs)
  }
})
