/**
 * One stored entity: its machine, whose transitions the bus commits.
 *
 * Invariant: a transition is made after the bus has committed it. If the outcome is unknown, or another activation of the entity has written,
 * the entity is read from the bus again before its next transition.
 */
import { Data, Effect, Scope } from "effect"
import { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { HomeBus } from "../../../protocols/messages/home-bus.ts"
import { runMachine, type RunningMachine } from "../../runtime/machine.ts"
import { storeMsMax } from "../bus/commit-log.ts"
import type { LocalHomeBus } from "../bus/local-bus.ts"
import { entityMachine, type EntitySnapshot, type RemoveEvent, restoredEntity, type WriteEvent } from "./machine.ts"

/** The bus's time limit: slightly longer than the store's limit for a commit. */
const busMsMax = storeMsMax + 1_000

/** Another activation of the entity has written. */
class Superseded extends Data.TaggedError("Superseded")<{ readonly message: string }> {}

type Running = RunningMachine<typeof entityMachine, Superseded | StoreUnavailable>

/** An entity that was read from the bus. */
interface Opened {
  readonly machine: Running
  /** Sequence of its last change. */
  sequence: number
}

type Bus = ReturnType<Effect.Success<typeof HomeBus.client>>

/** Calls the bus, with a time limit. A bus that breaks counts as a store that fails, so that it does not break its entities. */
const askBus = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, StoreUnavailable> =>
  call.pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logDebug("the home bus did not answer", cause),
        Effect.fail(new StoreUnavailable({ message: "The change could not be stored. Try again shortly." })),
      )
    ),
    Effect.timeoutOrElse({
      duration: busMsMax,
      orElse: () => Effect.fail(new StoreUnavailable({ message: `Nothing was stored within ${busMsMax} ms.` })),
    }),
  )

/** The machine of one entity, which is read from the bus and whose transitions the bus commits. */
export class StoredEntity {
  readonly #entityId: string
  readonly #bus: Bus
  readonly #localBus: LocalHomeBus["Service"]
  readonly #scope: Scope.Scope
  /** Null: to be read from the bus. */
  #opened: Opened | null = null

  constructor(entityId: string, bus: Bus, localBus: LocalHomeBus["Service"], scope: Scope.Scope) {
    this.#entityId = entityId
    this.#bus = bus
    this.#localBus = localBus
    this.#scope = scope
  }

  /** The entity as the bus has it. */
  readonly opened: Effect.Effect<Opened, StoreUnavailable> = Effect.suspend(() =>
    this.#opened === null ? this.#open : Effect.succeed(this.#opened)
  )

  /** Makes the move of an event. Returns the states before and after it, and its sequence on the bus; 0 if nothing was published. */
  move(event: WriteEvent | RemoveEvent) {
    return this.#moveOnce(event).pipe(
      Effect.retry({ times: 1, while: (error) => error._tag === "Superseded" }),
      Effect.catchTag("Superseded", ({ message }) => Effect.fail(new StoreUnavailable({ message }))),
    )
  }

  readonly #open = Effect.gen({ self: this }, function* () {
    const entityId = this.#entityId
    const { sequence, state } = yield* askBus(this.#bus.Last({ entityId }))
    const opened: Opened = {
      machine: yield* runMachine(entityMachine, {
        restored: restoredEntity(entityId, state),
        keep: (next) => this.#commit(opened, next),
      }).pipe(Effect.provideService(Scope.Scope, this.#scope)),
      sequence,
    }
    return this.#opened = opened
  })

  #commit(opened: Opened, { context: { entry } }: EntitySnapshot): Effect.Effect<void, Superseded | StoreUnavailable> {
    if (entry === null) return Effect.void
    const offered = { entry, after: opened.sequence }
    const published = this.#localBus.publish()?.(offered) ?? askBus(this.#bus.Publish(offered))
    return Effect.flatMap(published, ({ sequence }) => {
      if (sequence === null) return Effect.fail(new Superseded({ message: `${this.#entityId} was written elsewhere` }))
      opened.sequence = sequence
      return Effect.void
    })
  }

  readonly #moveOnce = Effect.fnUntraced(
    { self: this },
    function* (this: StoredEntity, event: WriteEvent | RemoveEvent) {
      const opened = yield* this.opened
      const before = opened.machine.snapshot().context.state
      const { context } = yield* opened.machine.send(event)
      const sequence = context.entry === null ? 0 : opened.sequence
      // An absent entity has no last change: the next one follows nothing.
      if (context.state === null) opened.sequence = 0
      return { before, state: context.state, sequence }
    },
    Effect.tapError(() => Effect.sync(() => void (this.#opened = null))),
  )
}
