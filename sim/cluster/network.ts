/**
 * The network between simulated nodes: connections that deliver bytes in order after a delay, and break.
 *
 * A connection over a link that is cut stalls, and so does one to a frozen process. It breaks when it has stalled for `brokenAfterMs`, as
 * the keep-alive of the runner channel does it, and at once when a process ends. Invariant: bytes arrive in order, each once, or the
 * connection breaks. Boundary: `socket.ts` makes sockets of the ends.
 */
import { Cause, Effect, Latch, Queue, type Scope } from "effect"
import { Socket } from "effect/socket"
import type { SimulatedProcess } from "./process.ts"
import type { World } from "./world.ts"

/** Keep-alive: a ping every two seconds, and two seconds for its answer. */
const brokenAfterMs = 4_000
const connectMsMax = 1_000
const latencyMs = { low: 0, high: 4 } as const

export type Bytes = Uint8Array | string

/** One end of a connection. */
export interface End {
  readonly pull: Socket.Reader["pull"]
  readonly send: (bytes: Bytes) => void
  readonly close: () => void
}

interface Listener {
  readonly process: SimulatedProcess
  readonly accept: (end: End) => void
}

interface Connection {
  readonly processes: ReadonlyArray<SimulatedProcess>
  readonly close: () => void
}

interface Sent {
  readonly bytes: Bytes
  readonly dueMs: number
}

const closed = new Socket.SocketError({ reason: new Socket.SocketCloseError({ code: 1006 }) })
const refused = (why: string) =>
  new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause: why }) })

const linkOf = (a: number, b: number): string => a < b ? `${a}-${b}` : `${b}-${a}`

export class SimulatedNetwork {
  readonly #world: World
  readonly #scope: Scope.Scope
  readonly #listeners = new Map<number, Listener>()
  /** Links that are cut, with latches that open when they are healed. */
  readonly #cut = new Map<string, Latch.Latch>()
  readonly #open = new Set<Connection>()

  /** @param scope in which bytes are on their way */
  constructor(world: World, scope: Scope.Scope) {
    this.#world = world
    this.#scope = scope
  }

  /** Connections to the node of a process reach `accept` from now on. */
  listen(process: SimulatedProcess, accept: (end: End) => void): void {
    this.#listeners.set(process.node, { process, accept })
  }

  cut(a: number, b: number): void {
    this.#cut.set(linkOf(a, b), Latch.makeUnsafe(false))
  }

  heal(a: number, b: number): void {
    this.#cut.get(linkOf(a, b))?.openUnsafe()
    this.#cut.delete(linkOf(a, b))
  }

  /** Breaks all connections of a process that has ended. */
  ended(process: SimulatedProcess): void {
    if (this.#listeners.get(process.node)?.process === process) this.#listeners.delete(process.node)
    for (const connection of [...this.#open]) if (connection.processes.includes(process)) connection.close()
  }

  /** Connects a process to a node. */
  readonly connect = Effect.fnUntraced({ self: this }, function* (from: SimulatedProcess, node: number) {
    const world = this.#world
    yield* world.sleep(world.between(latencyMs.low, latencyMs.high))
    const listener = this.#listeners.get(node)
    if (listener === undefined) return yield* refused("nobody listens")
    const { accept, process } = listener
    if (!(yield* this.#passed(from.node, process, connectMsMax))) return yield* refused("no answer")
    yield* from.gate
    if (process.hasEnded() || from.hasEnded()) return yield* refused("the process has ended")
    const [near, far] = yield* this.#pair(from, process)
    accept(far)
    return near
  })

  readonly #pair = Effect.fnUntraced({ self: this }, function* (from: SimulatedProcess, to: SimulatedProcess) {
    const there = yield* Queue.unbounded<Bytes, Socket.SocketError>()
    const back = yield* Queue.unbounded<Bytes, Socket.SocketError>()
    const sentThere = yield* Queue.unbounded<Sent, Cause.Done>()
    const sentBack = yield* Queue.unbounded<Sent, Cause.Done>()
    const connection: Connection = {
      processes: [from, to],
      close: () => {
        if (!this.#open.delete(connection)) return
        for (const queue of [there, back]) Queue.failCauseUnsafe(queue, Cause.fail(closed))
        for (const queue of [sentThere, sentBack]) Queue.endUnsafe(queue)
      },
    }
    this.#open.add(connection)
    yield* this.#carry(from, to, sentThere, there, connection)
    yield* this.#carry(to, from, sentBack, back, connection)
    const end = (
      pull: Queue.Queue<Bytes, Socket.SocketError>,
      out: Queue.Queue<Sent, Cause.Done>,
      own: SimulatedProcess,
    ): End => ({
      pull: Queue.takeAll(pull),
      send: (bytes) => {
        if (own.hasEnded()) return
        Queue.offerUnsafe(out, {
          bytes,
          dueMs: this.#world.nowMs() + this.#world.between(latencyMs.low, latencyMs.high),
        })
      },
      close: connection.close,
    })
    return [end(back, sentThere, from), end(there, sentBack, to)] as const
  })

  /** Carries what one process sends to the other, for as long as the connection is open. */
  #carry(
    from: SimulatedProcess,
    to: SimulatedProcess,
    sent: Queue.Queue<Sent, Cause.Done>,
    arrived: Queue.Queue<Bytes, Socket.SocketError>,
    { close }: Connection,
  ) {
    const world = this.#world
    const one = Effect.gen({ self: this }, function* () {
      const { bytes, dueMs } = yield* Queue.take(sent)
      if (dueMs > world.nowMs()) yield* world.sleep(dueMs - world.nowMs())
      if (yield* this.#passed(from.node, to, brokenAfterMs)) Queue.offerUnsafe(arrived, bytes)
      else close()
    })
    return Effect.forkIn(Effect.forever(one), this.#scope)
  }

  /** Whether something from a node reaches a process within this time. */
  #passed(from: number, to: SimulatedProcess, msMax: number): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const link = this.#cut.get(linkOf(from, to.node))
      if (link === undefined && !to.isFrozen()) return Effect.succeed(true)
      const passes = Effect.andThen(link?.await ?? Effect.void, to.gate)
      return Effect.raceFirst(Effect.as(passes, true), Effect.as(this.#world.sleep(msMax), false))
    })
  }
}
