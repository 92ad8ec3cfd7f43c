/**
 * The nodes of a run, and what faults do to them.
 *
 * Invariant: at most one process of a node runs. A fault that meets a node which is away does nothing.
 */
import { Effect, type Scope } from "effect"
import type { Fault } from "../../sim/cluster/plan.ts"
import { makeProcess, type SimulatedProcess } from "../../sim/cluster/process.ts"
import { type SimulatedNode, startNode, type Surroundings } from "./node.ts"

/** PostgreSQL notices the closed connection of a killed process. */
const connectionClosedMs = 20

export class Fleet {
  readonly #surroundings: Surroundings
  readonly #scope: Scope.Scope
  readonly #nodes = new Map<number, SimulatedNode>()
  readonly #incarnations = new Map<number, number>()
  /** Nodes that are stopping, or will start again. */
  readonly #away = new Set<number>()
  /** Routers send each batch twice. */
  repeatsBatches = false

  constructor(surroundings: Surroundings, scope: Scope.Scope) {
    this.#surroundings = surroundings
    this.#scope = scope
  }

  /** Starts a process of a node. */
  readonly start = Effect.fnUntraced({ self: this }, function* (node: number) {
    const { world } = this.#surroundings
    const incarnation = (this.#incarnations.get(node) ?? 0) + 1
    this.#incarnations.set(node, incarnation)
    const process = makeProcess(world, node, incarnation)
    world.note(`${process.name} starts`)
    const started = yield* startNode(this.#surroundings, process)
    this.#nodes.set(node, started)
    world.note(`${process.name} has started`)
  })

  /** The node with this number, or the next one that runs; null: none does. */
  nodeFrom(number: number): SimulatedNode | null {
    const { nodes } = this.#surroundings.plan
    for (let i = 0; i < nodes; i++) {
      const node = this.#nodes.get((number + i) % nodes)
      if (node !== undefined) return node
    }
    return null
  }

  /** Begins a fault; returns what ends it. */
  begin(fault: Fault): Effect.Effect<Effect.Effect<void>> {
    const { database, network } = this.#surroundings
    const once = (begin: () => void, end: () => void) => Effect.as(Effect.sync(begin), Effect.sync(end))
    switch (fault.kind) {
      case "kill":
        return this.#goAway(fault.node, (node) => this.#kill(node))
      case "leave":
        return this.#goAway(fault.node, (node) => this.#leave(node))
      case "freeze":
        return this.#onProcess(fault.node, (process) => process.freeze(), (process) => process.thaw())
      case "hang":
        return this.#onProcess(fault.node, (process) => process.hang(), (process) => process.thaw())
      case "wrong_clock":
        return this.#onProcess(fault.node, (process) => process.setClock(fault.byMs), (process) => process.setClock(0))
      case "cut":
        return once(() => network.cut(fault.node, fault.peer), () => network.heal(fault.node, fault.peer))
      case "database_cut":
        return once(() => database.cut(fault.node), () => database.heal(fault.node))
      case "database_outage":
        return once(() => {
          database.isAway = true
          database.endAllSessions()
        }, () => void (database.isAway = false))
      case "slow_database":
        return once(() => void (database.isSlow = true), () => void (database.isSlow = false))
      case "full_disk":
        return once(() => void (database.isFull = true), () => void (database.isFull = false))
      case "lost_answers":
        return once(
          () => void database.losesAnswersOf.add(fault.node),
          () => void database.losesAnswersOf.delete(fault.node),
        )
      case "repeated_batches":
        return once(() => void (this.repeatsBatches = true), () => void (this.repeatsBatches = false))
    }
  }

  #onProcess(
    number: number,
    begin: (process: SimulatedProcess) => void,
    end: (process: SimulatedProcess) => void,
  ): Effect.Effect<Effect.Effect<void>> {
    return Effect.sync(() => {
      const process = this.#nodes.get(number)?.process
      if (process !== undefined) begin(process)
      return Effect.sync(() => process === undefined ? undefined : end(process))
    })
  }

  /** A node goes away, and starts again at the end of the fault. */
  readonly #goAway = Effect.fnUntraced({ self: this }, function* (
    number: number,
    go: (node: SimulatedNode) => Effect.Effect<void>,
  ) {
    const node = this.#nodes.get(number)
    if (node === undefined || this.#away.has(number)) return Effect.void
    this.#away.add(number)
    yield* go(node)
    return Effect.andThen(Effect.sync(() => void this.#away.delete(number)), this.start(number))
  })

  readonly #kill = Effect.fnUntraced({ self: this }, function* ({ process }: SimulatedNode) {
    const { database, network, world } = this.#surroundings
    this.#nodes.delete(process.node)
    process.end()
    network.ended(process)
    const closed = Effect.andThen(
      world.sleep(connectionClosedMs),
      Effect.sync(() => database.endSession(process.name)),
    )
    yield* Effect.forkIn(closed, this.#scope)
  })

  readonly #leave = Effect.fnUntraced({ self: this }, function* ({ close, leave, process }: SimulatedNode) {
    const { database, network } = this.#surroundings
    yield* leave
    this.#nodes.delete(process.node)
    yield* Effect.ignoreCause(close)
    process.end()
    network.ended(process)
    database.endSession(process.name)
  })
}
