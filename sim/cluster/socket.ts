/**
 * Sockets of simulated processes: the form in which Effect's RPC protocol uses the connections of `network.ts`.
 */
import { Effect, FiberSet, Latch, type Scope } from "effect"
import * as NetAddress from "effect/net/NetAddress"
import { Socket, type SocketServer } from "effect/socket"
import type { Bytes, End, SimulatedNetwork } from "./network.ts"
import type { SimulatedProcess } from "./process.ts"

/** A socket that opens its end when it is read, and again after it broke. A write waits until it is open. */
const socketOf = (open: Effect.Effect<End, Socket.SocketError, Scope.Scope>): Socket.Socket => {
  const opened = Latch.makeUnsafe(false)
  let current: End | null = null
  const write = (chunk: Bytes | Socket.CloseEvent) =>
    Effect.andThen(
      opened.await,
      Effect.sync(() => Socket.isCloseEvent(chunk) ? current?.close() : current?.send(chunk)),
    )
  return Socket.make({
    reader: Effect.gen(function* () {
      const end = yield* open
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          opened.closeUnsafe()
          current = null
          end.close()
        })
      )
      current = end
      opened.openUnsafe()
      return { pull: end.pull, upgrade: Socket.SocketUpgradeError.unsupported }
    }),
    writer: Effect.succeed({ write, writeAll: (chunks) => Effect.forEach(chunks, write, { discard: true }) }),
  })
}

/** A socket from a process to a node. */
export const socketTo = (network: SimulatedNetwork, from: SimulatedProcess, node: number): Socket.Socket =>
  socketOf(network.connect(from, node))

/** The server of a process, at the address of its node. */
export const serverOf = (
  network: SimulatedNetwork,
  process: SimulatedProcess,
): SocketServer.SocketServer["Service"] => ({
  address: NetAddress.inetAddressUnsafe(NetAddress.ipv4Unspecified, process.node),
  run: <R, E, A>(handler: (socket: Socket.Socket) => Effect.Effect<A, E, R>) =>
    Effect.scoped(Effect.gen(function* () {
      const fork = yield* FiberSet.runtime(yield* FiberSet.make())<R>()
      network.listen(process, (end) => void fork(Effect.ignoreCause(handler(socketOf(Effect.succeed(end))))))
      return yield* Effect.never
    })) as Effect.Effect<never, SocketServer.SocketServerError, R>,
})
