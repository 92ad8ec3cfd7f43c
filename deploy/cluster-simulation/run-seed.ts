/**
 * One run of a simulated cluster: a seed decides the cluster and its faults, and the checker judges what came of it.
 *
 * Invariant: two runs of a seed have the same journal, byte for byte.
 */
import { Effect, type Fiber, Scope } from "effect"
import { movesMax } from "../../actors/runtime/balance.ts"
import { hopUs } from "../../core/observation/observation.ts"
import { sensingGroup } from "../../protocols/messages/shard-groups.ts"
import { lostMoments, type SeenFrame, violationsOf } from "../../sim/cluster/checker.ts"
import { SimulatedDatabase } from "../../sim/cluster/database.ts"
import { SimulatedNetwork } from "../../sim/cluster/network.ts"
import { moveViolationsOf } from "../../sim/cluster/move-checker.ts"
import { type MovedGroup, PlacementTable } from "../../sim/cluster/placement-table.ts"
import { type ClusterPlan, clusterPlan, type Fault } from "../../sim/cluster/plan.ts"
import { makeVirtualTime } from "../../sim/cluster/virtual-time.ts"
import { makeWorld, type World } from "../../sim/cluster/world.ts"
import { digestOf, readFrames, sendHops } from "./clients.ts"
import { Fleet } from "./fleet.ts"
import { simulatedTiming } from "./loads.ts"
import { routersOf } from "./stores.ts"

const startMs = 1_700_000_000_000
/** Nodes start one after the other. */
const startEveryMs = 200
/** After the faults, frames may be this late at the end. */
const lateMsMax = 4_000

export interface Outcome {
  readonly plan: ClusterPlan
  readonly violations: ReadonlyArray<string>
  /** What happened, a line each. */
  readonly journal: string
  readonly frames: number
  /** Hops that were acknowledged and have no frame: what a node had in memory when it ended. */
  readonly lostHops: number
  /** The longest time between the writing of two frames of an environment. */
  readonly silenceMsMax: number
  readonly databaseLoad: SimulatedDatabase["load"]
  /** Groups that were moved for their load. */
  readonly moves: ReadonlyArray<MovedGroup>
  /** The processes that hold the environments at the end. */
  readonly holders: ReadonlyMap<string, string | null>
}

interface RunOptions {
  /** False: a planted bug, without the fence of frame ids. */
  readonly fenced: boolean
}

const runFault = Effect.fnUntraced(function* (world: World, fleet: Fleet, fault: Fault) {
  yield* world.sleep(fault.atMs)
  world.note(`fault ${fault.kind} begins`)
  const end = yield* fleet.begin(fault)
  yield* world.sleep(fault.forMs)
  world.note(`fault ${fault.kind} ends`)
  yield* end
})

/** Starts the cluster, its clients and its faults in the scope in context. */
const startRun = Effect.fnUntraced(function* (plan: ClusterPlan, world: World, { fenced }: RunOptions) {
  const scope = yield* Effect.scope
  const database = new SimulatedDatabase(world, fenced)
  const network = new SimulatedNetwork(world, scope)
  const placement = new PlacementTable(world)
  const fleet = new Fleet({ plan, world, network, database, placement }, scope)
  const fork = (effect: Effect.Effect<unknown, never, Scope.Scope>) => Effect.forkIn(effect, scope)
  for (let node = 0; node < plan.nodes; node++) {
    yield* fork(Effect.andThen(world.sleep(node * startEveryMs), fleet.start(node)))
  }
  const accepted = new Map<string, Set<number>>()
  const watched = plan.environments.map((environmentId, i) => ({
    client: `reader ${i}`,
    environmentId,
    frames: [] as Array<SeenFrame>,
  }))
  for (const [i, { environmentId, frames }] of watched.entries()) {
    const hops = new Set<number>()
    accepted.set(environmentId, hops)
    for (const [j, routerId] of routersOf(plan, environmentId).entries()) {
      yield* fork(sendHops(world, fleet, routerId, i + j, (hop) => hops.add(hop)))
    }
    yield* fork(readFrames(world, fleet, environmentId, i + 1, frames))
  }
  for (const fault of plan.faults) yield* fork(runFault(world, fleet, fault))
  return { accepted, database, placement, watched }
})

/** Judges a run that has ended at this time. */
const judge = (
  plan: ClusterPlan,
  { journal }: World,
  { accepted, database, placement, watched }: Effect.Success<ReturnType<typeof startRun>>,
  endedMs: number,
): Outcome => {
  const history = new Map(plan.environments.map((environmentId) => [
    environmentId,
    database.framesOf(environmentId).map((frame) => ({ ...frame, digest: digestOf(frame.body) })),
  ]))
  const stored = [...history.values()]
  const gapsMs = stored.flatMap((frames) => frames.slice(1).map(({ writtenMs }, i) => writtenMs - frames[i]!.writtenMs))
  const lost = plan.environments.map((environmentId) => {
    const acknowledgedMs = [...accepted.get(environmentId)!].map((hop) => ((hop + 1) * hopUs) / 1000)
    return lostMoments(acknowledgedMs, history.get(environmentId)!).length
  })
  return {
    plan,
    violations: [
      ...violationsOf({ history, watched, freshMs: endedMs - lateMsMax }),
      ...moveViolationsOf(placement.moves, { ...simulatedTiming, movesMax }),
    ],
    journal: journal.join("\n"),
    frames: stored.reduce((sum, frames) => sum + frames.length, 0),
    lostHops: lost.reduce((sum, count) => sum + count, 0),
    silenceMsMax: Math.max(0, ...gapsMs),
    databaseLoad: database.load,
    moves: placement.moves,
    holders: new Map(
      plan.environments.map((environmentId) => [environmentId, database.ownerOf(`${sensingGroup(environmentId)}:1`)]),
    ),
  }
}

/** Runs a plan. */
export const runPlan = (plan: ClusterPlan, options: RunOptions = { fenced: true }): Outcome => {
  const time = makeVirtualTime(startMs)
  const world = makeWorld(plan.seed, time.clock)
  const runFork = Effect.runForkWith(time.context)
  const done = <A>(fiber: Fiber.Fiber<A>): A => {
    const exit = fiber.pollUnsafe()
    if (exit === undefined) throw new Error("the simulation waits for something that is not simulated")
    return Effect.runSync(exit)
  }
  const scope = Scope.makeUnsafe()
  // The scope is not closed: at the end of the run, nothing of it is referred to any more.
  const run = done(runFork(Effect.provideService(startRun(plan, world, options), Scope.Scope, scope)))
  time.advance(plan.faultyMs + plan.calmMs)
  return judge(plan, world, run, time.clock.currentTimeMillisUnsafe())
}

/** Runs the plan of a seed. */
export const runSeed = (seed: number, options?: RunOptions): Outcome => runPlan(clusterPlan(seed), options)
