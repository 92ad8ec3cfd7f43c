/**
 * Runs a pure xstate machine inside an Effect actor.
 *
 * Owns the interpretation of the actions that a transition returns: delayed events wait on Effect's clock (so that a test clock
 * drives them), and the actor performs every other action as data. Boundary: the machine decides, the actor acts; no xstate
 * actor, mailbox or clock is started.
 *
 * Invariants:
 * 1. Events are handled one at a time, in order of arrival. A transition that has begun is completed, even if its sender is interrupted.
 * 2. At most one fiber sleeps per delayed event of the machine (`delayed-events.ts`); all end with the scope.
 * 3. A delayed event that a transition cancelled is not handled after it, even when it was due before.
 */
import { Effect, type Scope, Semaphore } from "effect"
import {
  type AnyActorScope,
  type AnyStateMachine,
  createActor,
  type EventFromLogic,
  initialTransition,
  type SnapshotFrom,
} from "xstate"
import { makeDelayedEvents } from "./delayed-events.ts"

/** An action of the machine as data. */
interface MachineAction {
  readonly type: string
  readonly params: unknown
}

export interface RunningMachine<M extends AnyStateMachine, E = never> {
  readonly snapshot: () => SnapshotFrom<M>
  /** Saves the transition, makes it and performs its actions; returns the state after it. Does not wait for delayed events. */
  readonly send: (event: EventFromLogic<M>) => Effect.Effect<SnapshotFrom<M>, E>
}

const scopes = new WeakMap<AnyStateMachine, AnyActorScope>()

/**
 * xstate's `transition()` without the actor that it creates for each call, which costs more than the transition itself. The scope has no
 * effects, so all transitions of a machine share it; its actor is never started.
 */
const transition = <M extends AnyStateMachine>(
  machine: M,
  snapshot: SnapshotFrom<M>,
  event: EventFromLogic<M>,
): readonly [SnapshotFrom<M>, ReadonlyArray<MachineAction>] => {
  let scope = scopes.get(machine)
  if (scope === undefined) {
    const self = createActor(machine)
    const nothing = () => {}
    scope = {
      self,
      system: self.system,
      id: "",
      sessionId: "",
      logger: nothing,
      defer: nothing,
      emit: nothing,
      stopChild: nothing,
      actionExecutor: nothing,
    }
    scopes.set(machine, scope)
  }
  const actions: Array<MachineAction> = []
  const next = machine.transition(snapshot, event, {
    ...scope,
    actionExecutor: (action) => void actions.push(action as unknown as MachineAction),
  })
  return [next as SnapshotFrom<M>, actions]
}

/**
 * Starts a machine from its initial state, or from a restored snapshot.
 *
 * @param options.perform performs one action. It runs within the transition and must not wait for another one of the same machine.
 * @param options.keep saves the next state before the machine enters it. When it fails, the machine keeps its state, no action is
 * performed and the sender gets the failure. A delayed event whose transition cannot be saved is logged and dropped.
 */
export const runMachine = Effect.fnUntraced(function* <M extends AnyStateMachine, E = never>(
  machine: M,
  options: {
    readonly restored?: SnapshotFrom<M>
    readonly perform?: (action: MachineAction, snapshot: SnapshotFrom<M>) => Effect.Effect<void>
    readonly keep?: (next: SnapshotFrom<M>, event: EventFromLogic<M>) => Effect.Effect<void, E>
  } = {},
): Effect.fn.Return<RunningMachine<M, E>, never, Scope.Scope> {
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  const delayed = yield* makeDelayedEvents<EventFromLogic<M>>(
    oneAtATime,
    (event) => Effect.catchCause(move(event), (cause) => Effect.logError("delayed event could not be handled", cause)),
  )
  let snapshot: SnapshotFrom<M>

  const perform = (action: MachineAction): Effect.Effect<void> => {
    const params = action.params as { id: string; sendId: string; event: EventFromLogic<M>; delay: number } | undefined
    if (action.type === "xstate.raise" && params !== undefined) {
      return delayed.delay(params.id, params.event, params.delay)
    }
    if (action.type === "xstate.cancel" && params !== undefined) return delayed.cancel(params.sendId)
    return options.perform === undefined ? Effect.void : options.perform(action, snapshot)
  }
  const settle = Effect.fnUntraced(function* (next: SnapshotFrom<M>, actions: ReadonlyArray<MachineAction>) {
    snapshot = next
    for (const action of actions) yield* perform(action)
    return snapshot
  })
  /** Requires the permit. */
  const move = (event: EventFromLogic<M>): Effect.Effect<SnapshotFrom<M>, E> =>
    Effect.uninterruptible(Effect.suspend(() => {
      const [next, actions] = transition(machine, snapshot, event)
      const settled = settle(next, actions)
      return options.keep === undefined ? settled : Effect.andThen(options.keep(next, event), settled)
    }))
  const send = (event: EventFromLogic<M>): Effect.Effect<SnapshotFrom<M>, E> => oneAtATime(move(event))

  if (options.restored === undefined) {
    const [first, actions] = (initialTransition as (logic: AnyStateMachine) => [unknown, unknown])(machine)
    yield* settle(first as SnapshotFrom<M>, actions as ReadonlyArray<MachineAction>)
  } else {
    snapshot = options.restored
  }
  return { snapshot: () => snapshot, send }
})
