/** A value with the steps that led to it: undo, redo, and gestures that count as one step. Pure. */

export interface Undoable<A> {
  readonly past: ReadonlyArray<A>
  readonly present: A
  readonly future: ReadonlyArray<A>
  /** What the newest step belongs to, for example the drag of one node; null: the next change is a step of its own. */
  readonly gesture: string | null
}

const stepsMax = 100

export const undoable = <A>(present: A): Undoable<A> => ({ past: [], present, future: [], gesture: null })

/** A change. Changes of one gesture, one after the other, are one step. */
export const changed = <A>(of: Undoable<A>, present: A, gesture: string | null = null): Undoable<A> =>
  gesture !== null && gesture === of.gesture
    ? { ...of, present, future: [] }
    : { past: [...of.past, of.present].slice(-stepsMax), present, future: [], gesture }

/** A change of what was there when the gesture began, so that what a drag does on its way can be taken back by the same drag. */
export const dragged = <A>(of: Undoable<A>, change: (begin: A) => A, gesture: string): Undoable<A> => {
  const begin = of.gesture === gesture ? of.past.at(-1)! : of.present
  return changed(of, change(begin), gesture)
}

/** Ends a gesture: the next change is a new step. */
export const settled = <A>(of: Undoable<A>): Undoable<A> => of.gesture === null ? of : { ...of, gesture: null }

export const undone = <A>(of: Undoable<A>): Undoable<A> => {
  const before = of.past.at(-1)
  return before === undefined
    ? of
    : { past: of.past.slice(0, -1), present: before, future: [of.present, ...of.future], gesture: null }
}

export const redone = <A>(of: Undoable<A>): Undoable<A> => {
  const [next, ...future] = of.future
  return next === undefined ? of : { past: [...of.past, of.present], present: next, future, gesture: null }
}
