/**
 * Runs a pure xstate machine inside an Effect actor.
 *
 * Owns the interpretation of what `transition()` returns: delayed events wait on Effect's clock (so that a test clock
 * drives them), every other action is handed to the actor as data. Boundary: the machine decides, the actor acts; no xstate
 * actor, mailbox or clock is ever started.
 *
 * Invariants:
 * 1. Events are handled one at a time, in order of arrival.
 * 2. At most one fiber sleeps per delayed event of the machine; all end with the scope.
 */
import { Effect, Fiber, type Scope, Semaphore } from "effect"
import { type AnyStateMachine, type EventFromLogic, initialTransition, type SnapshotFrom, transition } from "xstate"

/** An action of the machine as data. */
export interface MachineAction {
  readonly type: string
  readonly params: unknown
}

export interface RunningMachine<M extends AnyStateMachine> {
  readonly snapshot: () => SnapshotFrom<M>
  /** Moves the machine and performs the actions of the move, delayed events excepted. */
  readonly send: (event: EventFromLogic<M>) => Effect.Effect<SnapshotFrom<M>>
}

/**
 * Starts a machine from its initial state, or from a restored snapshot.
 *
 * @param perform does one action; it runs inside the move and must not send to the same machine.
 */
export const runMachine = Effect.fnUntraced(function* <M extends AnyStateMachine>(
  machine: M,
  options: {
    readonly restored?: SnapshotFrom<M>
    readonly perform?: (action: MachineAction, snapshot: SnapshotFrom<M>) => Effect.Effect<void>
  } = {},
): Effect.fn.Return<RunningMachine<M>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  const sleeping = new Map<string, Fiber.Fiber<unknown>>()
  let snapshot: SnapshotFrom<M>

  const cancel = (id: string) => {
    const fiber = sleeping.get(id)
    sleeping.delete(id)
    return fiber === undefined ? Effect.void : Effect.asVoid(Effect.forkIn(Fiber.interrupt(fiber), scope))
  }
  const schedule = Effect.fnUntraced(function* (id: string, event: EventFromLogic<M>, delayMs: number) {
    yield* cancel(id)
    const wakeUp = Effect.sleep(delayMs).pipe(
      Effect.andThen(Effect.suspend(() => {
        sleeping.delete(id)
        return send(event)
      })),
    )
    sleeping.set(id, yield* Effect.forkIn(wakeUp, scope))
  })
  const perform = (action: MachineAction): Effect.Effect<void> => {
    const params = action.params as { id: string; sendId: string; event: EventFromLogic<M>; delay: number } | undefined
    if (action.type === "xstate.raise" && params !== undefined) return schedule(params.id, params.event, params.delay)
    if (action.type === "xstate.cancel" && params !== undefined) return cancel(params.sendId)
    return options.perform === undefined ? Effect.void : options.perform(action, snapshot)
  }
  const settle = Effect.fnUntraced(function* (next: SnapshotFrom<M>, actions: ReadonlyArray<MachineAction>) {
    snapshot = next
    for (const action of actions) yield* perform(action)
    return snapshot
  })
  const send = (event: EventFromLogic<M>): Effect.Effect<SnapshotFrom<M>> =>
    oneAtATime(Effect.suspend(() => {
      const [next, actions] = transition(machine, snapshot, event)
      return settle(next as SnapshotFrom<M>, actions as unknown as ReadonlyArray<MachineAction>)
    }))

  if (options.restored === undefined) {
    const [first, actions] = (initialTransition as (logic: AnyStateMachine) => [unknown, unknown])(machine)
    yield* settle(first as SnapshotFrom<M>, actions as ReadonlyArray<MachineAction>)
  } else {
    snapshot = options.restored
  }
  return { snapshot: () => snapshot, send }
})
