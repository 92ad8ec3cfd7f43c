/**
 * The membership of this node in the cluster: when it joins, which shards it holds, and how it leaves.
 *
 * Owns the runner storage of Effect Cluster as this node sees it. The cluster assigns shards to the registered runners, so a node
 * joins by registering, and leaves by being no longer listed. Boundary: `peer-watch.ts` finds nodes that failed, `shard-placement.ts`
 * decides which node has which shards, and `shard-acquisition.ts` acquires them.
 *
 * Invariants:
 * 1. A node is registered after `join`: it is assigned no shards before it can run their actors. It takes them in parts, because all of their
 *    actors at once would keep each room waiting for the others.
 * 2. After `leave`, other nodes take the shards, in two parts, while this node still serves its clients. It returns when all are released, after
 *    `leaveMsMax` at the latest, and at once when no other node could take them.
 * 3. The list of nodes is read when a change is announced, and every `pollIntervalMs` in case an announcement was lost.
 * 4. The last healthy node is not declared dead: no other node could take its shards.
 */
import { Context, Deferred, Effect, Layer, Queue, Schedule, Semaphore } from "effect"
import { Runner, type RunnerAddress, RunnerStorage, type ShardId } from "effect/cluster"
import { type HostedKind, hostedKinds, mqttKind } from "../../protocols/messages/shard-groups.ts"
import type { ClusterReport } from "../../protocols/ports/cluster-report.ts"
import { addressText } from "./addresses.ts"
import { HeldShards } from "./held-shards.ts"
import { MemberNews } from "./member-news.ts"
import { monotonicMs } from "./monotonic.ts"
import { type Pin, Placements } from "./placements.ts"
import { askAgainMs, changeMs, ShardAcquisition } from "./shard-acquisition.ts"
import { makePlacement, type Runners } from "./shard-placement.ts"

const leaveMsMax = 6_000
const pollIntervalMs = 250
/** The parts of its shards that a node has while it joins, and that it keeps while it leaves. */
const joinParts = [0.25, 0.5, 0.75, 1]
const leavePart = 0.5
const registerAgain = "1 second"

type Storage = RunnerStorage.RunnerStorage["Service"]

export class Membership extends Context.Service<Membership, {
  /** Registers the node: it is ready to run actors. */
  readonly join: Effect.Effect<void>
  /** Hands all shards over to other nodes. */
  readonly leave: Effect.Effect<void>
  readonly report: Effect.Effect<ClusterReport | null>
  /** The registered nodes, read now. */
  readonly nodes: RunnerStorage.RunnerStorage["Service"]["getRunners"]
  /** The node of each shard group, as this node last saw the cluster; empty in a process that is alone. */
  readonly places: Effect.Effect<ReadonlyMap<string, RunnerAddress.RunnerAddress>>
  /** Makes all nodes read the list of nodes now. */
  readonly announce: Effect.Effect<void>
}>()("wavepose/actors/Membership") {
  /** The membership of a single process: it has joined and never leaves. */
  static readonly layerAlone: Layer.Layer<Membership> = Layer.succeed(Membership, {
    join: Effect.void,
    leave: Effect.void,
    report: Effect.succeed(null),
    nodes: Effect.succeed([]),
    places: Effect.succeed(new Map()),
    announce: Effect.void,
  })
}

/** The node as a member: the state that the membership and the storage share. */
class Member {
  readonly joined = Deferred.makeUnsafe<void>()
  readonly held = new HeldShards()
  /** The registered nodes, as they were last seen. */
  members: ClusterReport["members"] = []
  /** The node of each shard group. */
  places: ReadonlyMap<string, RunnerAddress.RunnerAddress> = new Map()
  readonly #placed = makePlacement()
  readonly #storage: Storage
  readonly #news: MemberNews["Service"]
  readonly #acquisition = new ShardAcquisition()
  /** Registrations follow one another. */
  readonly #oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  /** The part of its shards that this node has. */
  #part = joinParts[0]!
  #self: Runner.Runner | null = null
  #left = false
  #polledMs = -Infinity

  constructor(storage: Storage, news: MemberNews["Service"]) {
    this.#storage = storage
    this.#news = news
  }

  /** Waits until the list of nodes has to be read again. */
  readonly untilPoll = Effect.suspend(() => this.#untilPoll())

  readonly #untilPoll = Effect.fnUntraced({ self: this }, function* () {
    const waitMs = this.#polledMs + pollIntervalMs - (yield* monotonicMs)
    if (waitMs > 0) yield* Effect.raceFirst(Queue.take(this.#news.changes), Effect.sleep(waitMs))
    this.#polledMs = yield* monotonicMs
  })

  /** Announces a change to the other nodes once it is made. */
  announced<A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.tap(change, () => this.#news.announce)
  }

  /** Registers the node with a part of its shards, or with all of them when no other node has any. */
  readonly register = Effect.fnUntraced({ self: this }, function* (runner: Runner.Runner, healthy: boolean) {
    const isFirst = this.#self === null
    if (isFirst) this.#part = (yield* this.#healthyOthers(runner)).length === 0 ? 1 : joinParts[0]!
    const machineId = yield* this.#oneAtATime(this.#registerPart(runner, healthy))
    this.#self = runner
    this.#left = false
    if (isFirst && this.#part < 1) yield* Effect.forkDetach(this.#takeRest(runner))
    return machineId
  })

  #registerPart({ address, groups }: Runner.Runner, healthy: boolean) {
    return Effect.suspend(() =>
      this.announced(this.#storage.register(Runner.make({ address, groups, weight: this.#part }), healthy))
    )
  }

  /** Takes the rest of the shards, part by part. */
  readonly #takeRest = Effect.fnUntraced({ self: this }, function* (runner: Runner.Runner) {
    const startMs = yield* monotonicMs
    for (const part of joinParts.slice(1)) {
      yield* this.#acquisition.untilRested
      this.#part = part
      const registered = Effect.suspend(() => this.#left ? Effect.interrupt : this.#registerPart(runner, true))
      yield* Effect.retry(this.#oneAtATime(registered), Schedule.spaced(registerAgain))
    }
    yield* this.#acquisition.untilRested
    if (this.#left) return
    yield* Effect.logInfo(`shards taken over shards=${this.held.size} ms=${(yield* monotonicMs) - startMs}`)
  })

  #healthyOthers({ address }: Runner.Runner) {
    return Effect.map(
      this.#storage.getRunners,
      (runners) => runners.filter(([other, healthy]) => healthy && String(other.address) !== String(address)),
    )
  }

  unregistered(): void {
    this.#left = true
  }

  /**
   * The nodes as this one sees them. A node that has left sees itself as unhealthy, so that the cluster releases its shards and does not
   * register it again. Without another healthy node the cluster would warn and mark this one as healthy, so it gets no list.
   */
  seen(runners: Runners): Effect.Effect<Runners> {
    this.members = runners.map(([runner, healthy]) => ({
      address: addressText(runner.address),
      healthy,
      groups: runner.groups.filter((group) => hostedKinds.includes(group as HostedKind)),
      self: !this.#isOther(runner),
    }))
    if (!this.#left) return Effect.succeed(runners)
    if (!runners.some(([runner, healthy]) => healthy && this.#isOther(runner))) return Effect.never
    const self: Runners = this.#self === null ? [] : [[this.#self, false]]
    return Effect.succeed([...runners.filter(([runner]) => this.#isOther(runner)), ...self])
  }

  /** Adds the shards that each node has. */
  placed(runners: Runners, pins: ReadonlyArray<Pin>): Runners {
    const { listed, places } = this.#placed(runners, pins)
    this.places = places
    return listed
  }

  /** Whether the health of a node is to be changed: it differs from the known one, and a healthy node remains. */
  changesHealth(judged: RunnerAddress.RunnerAddress, healthy: boolean): boolean {
    const address = addressText(judged)
    const before = this.members.find((member) => member.address === address)
    if (before === undefined) return true
    return before.healthy !== healthy &&
      (healthy || this.members.some((other) => other.healthy && other.address !== address))
  }

  judged(runner: RunnerAddress.RunnerAddress, healthy: boolean): void {
    const address = addressText(runner)
    this.members = this.members.map((member) => member.address === address ? { ...member, healthy } : member)
  }

  acquire(address: RunnerAddress.RunnerAddress, shards: ReadonlyArray<ShardId.ShardId>) {
    return Effect.tap(
      this.#acquisition.acquire(this.#storage, address, shards),
      (obtained) => Effect.sync(() => this.held.acquired(obtained)),
    )
  }

  /** Leaves, and waits until all shards are released. */
  readonly leave = Effect.suspend(() => this.#leave()).pipe(
    Effect.timeoutOrElse({
      duration: leaveMsMax,
      orElse: () => Effect.logWarning(`shards not handed over within ${leaveMsMax} ms, they are released`),
    }),
    Effect.catch(({ message }) => Effect.logWarning("shards not handed over, they are released", message)),
  )

  readonly #leave = Effect.fnUntraced({ self: this }, function* () {
    const self = this.#self
    if (self === null || this.#left) return
    const others = yield* this.#healthyOthers(self)
    // The publisher to a broker has ended before, and needs no other node.
    const needed = self.groups.filter((group) => group !== mqttKind)
    if (needed.some((group) => !others.some(([runner]) => runner.groups.includes(group)))) return
    const startMs = yield* monotonicMs
    const shards = this.held.size
    if (this.#part === 1 && shards > 0) {
      this.#part = leavePart
      yield* this.#oneAtATime(this.#registerPart(self, true))
      yield* Effect.sleep(changeMs)
    }
    this.#left = true
    yield* this.#oneAtATime(this.announced(this.#storage.unregister(self.address)))
    while (this.held.size > 0) yield* Effect.sleep(askAgainMs)
    yield* Effect.logInfo(`shards handed over shards=${shards} ms=${(yield* monotonicMs) - startMs}`)
  })

  #isOther({ address }: Runner.Runner): boolean {
    return String(address) !== String(this.#self?.address)
  }
}

/** The storage as the cluster of a member uses it. */
const storageOf = (storage: Storage, member: Member, { pins }: Placements["Service"]): Storage => ({
  ...storage,
  register: (runner, healthy) => Effect.andThen(Deferred.await(member.joined), member.register(runner, healthy)),
  unregister: (address) =>
    Effect.suspend(() => {
      member.unregistered()
      return member.announced(storage.unregister(address))
    }),
  // The cluster judges each entry of its list, and a node has as many as it has groups.
  setRunnerHealth: (address, healthy) =>
    Effect.suspend(() =>
      member.changesHealth(address, healthy)
        ? Effect.tap(
          member.announced(storage.setRunnerHealth(address, healthy)),
          () => Effect.sync(() => member.judged(address, healthy)),
        )
        : Effect.void
    ),
  getRunners: Effect.andThen(member.untilPoll, storage.getRunners).pipe(
    Effect.flatMap((runners) => member.seen(runners)),
    Effect.flatMap((seen) => Effect.map(pins, (all) => [...member.placed(seen, all)])),
  ),
  acquire: (address, shards) => member.acquire(address, [...shards]),
  refresh: Effect.fnUntraced(function* (address, shards) {
    const { held } = member
    const asked = [...shards]
    const startMs = yield* monotonicMs
    const there = yield* Effect.onError(
      storage.refresh(address, asked),
      () => Effect.sync(() => void held.refreshFailures++),
    )
    held.refreshMs = (yield* monotonicMs) - startMs
    held.refreshed(asked, there)
    return there
  }),
  release: (address, shard) =>
    Effect.tap(storage.release(address, shard), () => Effect.sync(() => member.held.released(shard))),
  releaseAll: (address) => Effect.tap(storage.releaseAll(address), () => Effect.sync(() => member.held.releasedAll())),
})

/** The storage of a process that is alone, which gets no list after it has left: see `Member.seen`. */
export const layerAloneStorage: Layer.Layer<RunnerStorage.RunnerStorage, never, RunnerStorage.RunnerStorage> = Layer
  .effect(
    RunnerStorage.RunnerStorage,
    Effect.gen(function* () {
      const storage = yield* RunnerStorage.RunnerStorage
      const member = new Member(storage, yield* MemberNews)
      yield* Deferred.succeed(member.joined, undefined)
      const { register, unregister } = storageOf(storage, member, yield* Placements)
      // It hosts all groups by its own registration.
      const getRunners = Effect.andThen(member.untilPoll, storage.getRunners).pipe(
        Effect.flatMap((runners) => Effect.map(member.seen(runners), (seen) => [...seen])),
      )
      return { ...storage, getRunners, register, unregister }
    }),
  ).pipe(Layer.provide([MemberNews.layerNone, Placements.layerNone]))

/** The membership of a node over this storage, and the storage that its cluster uses. */
export const layerMembership: Layer.Layer<
  Membership | RunnerStorage.RunnerStorage,
  never,
  RunnerStorage.RunnerStorage | MemberNews | Placements
> = Layer.effectContext(
  Effect.gen(function* () {
    const storage = yield* RunnerStorage.RunnerStorage
    const news = yield* MemberNews
    const member = new Member(storage, news)
    return Context.make(Membership, {
      join: Effect.asVoid(Deferred.succeed(member.joined, undefined)),
      leave: member.leave,
      report: Effect.sync(() => ({ members: member.members, ...member.held.counts })),
      nodes: storage.getRunners,
      places: Effect.sync(() => member.places),
      announce: news.announce,
    }).pipe(Context.add(RunnerStorage.RunnerStorage, storageOf(storage, member, yield* Placements)))
  }),
)
