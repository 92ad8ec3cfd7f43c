/**
 * A state machine as a table: every state x event cell is written out, and the compiler checks that none is missing.
 */
import { expect } from "vitest"
import { type AnyStateMachine, type EventFromLogic, type SnapshotFrom, transition } from "xstate"

/** Next state per state and event; the state itself where the event changes nothing. */
type MachineTable<State extends string, Event extends string> = Record<State, Record<Event, State>>

/** Checks every cell of a table. `at` puts the machine into a state; `events` gives each column's event. */
export const checkTable = <M extends AnyStateMachine, State extends string, Event extends string>(
  machine: M,
  options: {
    readonly at: (state: State) => SnapshotFrom<M>
    readonly events: Record<Event, EventFromLogic<M> | { readonly type: string }>
    readonly table: MachineTable<State, Event>
  },
): void => {
  for (const [state, row] of Object.entries(options.table) as Array<[State, Record<Event, State>]>) {
    for (const [name, next] of Object.entries(row) as Array<[Event, State]>) {
      const event = options.events[name] as EventFromLogic<M>
      const [snapshot] = transition(machine, options.at(state), event)
      expect((snapshot as { readonly value: unknown }).value, `${state} x ${name}`).toBe(next)
    }
  }
}

/** The event by which xstate ends a state after a delay. */
export const afterEvent = (machineId: string, state: string, delayMs: number): { readonly type: string } => ({
  type: `xstate.after.${delayMs}.${machineId}.${state}`,
})
