/**
 * Virtual time: a clock and a scheduler by which fibers run to the end of all work of a moment before the next moment begins.
 *
 * Nothing waits for a timer or the event loop, so a minute of a cluster takes a second, and the order of everything is the order of its
 * scheduling. Boundary: an effect that waits for a promise does not continue.
 */
import { Clock, Context, Duration, Effect, Scheduler } from "effect"

interface Sleeper {
  readonly atMs: number
  /** Sleepers of a moment wake in the order in which they went to sleep. */
  readonly order: number
  wake: (() => void) | null
}

interface VirtualTime {
  readonly clock: Clock.Clock
  /** What a fiber needs to live in this time. */
  readonly context: Context.Context<never>
  /** Runs everything that is due within this many milliseconds. */
  readonly advance: (ms: number) => void
}

const nanosPerMilli = 1_000_000

const isBefore = (a: Sleeper, b: Sleeper): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

/** A binary heap of sleepers, the next one first. */
class Sleepers {
  readonly #heap: Array<Sleeper> = []

  get next(): Sleeper | undefined {
    return this.#heap[0]
  }

  push(sleeper: Sleeper): void {
    const heap = this.#heap
    let at = heap.push(sleeper) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(sleeper, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = sleeper
  }

  pop(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    let at = 0
    while (true) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
  }
}

export const makeVirtualTime = (startMs: number): VirtualTime => {
  const sleepers = new Sleepers()
  let tasks: Array<{ run: (() => void) | null }> = []
  let nowMs = startMs
  let order = 0

  const scheduler = new Scheduler.MixedScheduler("async", (run) => {
    const task: { run: (() => void) | null } = { run }
    tasks.push(task)
    return () => void (task.run = null)
  })
  const drain = (): void => {
    while (tasks.length > 0) {
      const due = tasks
      tasks = []
      for (const { run } of due) run?.()
    }
  }
  const nowNs = () => BigInt(Math.round(nowMs * nanosPerMilli))
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => nowMs,
    currentTimeMillis: Effect.sync(() => nowMs),
    currentTimeNanosUnsafe: nowNs,
    currentTimeNanos: Effect.sync(nowNs),
    monotonicTimeNanosUnsafe: nowNs,
    monotonicTimeNanos: Effect.sync(nowNs),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const sleeper: Sleeper = {
          atMs: nowMs + Math.max(0, Duration.toMillis(duration)),
          order: order++,
          wake: () => resume(Effect.void),
        }
        sleepers.push(sleeper)
        return Effect.sync(() => void (sleeper.wake = null))
      }),
  }
  return {
    clock,
    context: Context.make(Clock.Clock, clock).pipe(Context.add(Scheduler.Scheduler, scheduler)) as Context.Context<
      never
    >,
    advance: (ms) => {
      const endMs = nowMs + ms
      drain()
      for (let next = sleepers.next; next !== undefined && next.atMs <= endMs; next = sleepers.next) {
        sleepers.pop()
        nowMs = Math.max(nowMs, next.atMs)
        next.wake?.()
        drain()
      }
      nowMs = endMs
    },
  }
}
