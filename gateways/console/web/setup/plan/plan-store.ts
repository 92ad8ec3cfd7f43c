/**
 * The room that is being edited: its draft with undo, what is selected, and its saving with the entity tag that it was read with.
 */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals"
import { RequestFailed } from "../../service/request-failed.ts"
import { authorisedTagged } from "../../service/session.ts"
import type { Environment } from "../../service/types.ts"
import { loadEnvironments } from "../../state/rooms.ts"
import { type Draft, draftOf, roundedDraft, sameDraft, type Selection } from "./draft.ts"
import { changed, dragged, redone, settled, type Undoable, undoable, undone } from "./undo.ts"

type Saving =
  | { readonly state: "idle" | "saving" | "saved" }
  /** `isMoved`: what the draft has was changed elsewhere since it was read. */
  | { readonly state: "failed"; readonly reason: string; readonly isMoved: boolean }

export interface PlanStore {
  readonly environmentId: string
  readonly draft: ReadonlySignal<Draft>
  readonly selection: Signal<Selection>
  readonly isDirty: ReadonlySignal<boolean>
  readonly canUndo: ReadonlySignal<boolean>
  readonly canRedo: ReadonlySignal<boolean>
  readonly saving: ReadonlySignal<Saving>
  /** Changes the draft; changes of one gesture are one step. */
  readonly apply: (change: (draft: Draft) => Draft, gesture?: string) => void
  /** Changes the draft as it was at the begin of the gesture. */
  readonly drag: (change: (draft: Draft) => Draft, gesture: string) => void
  readonly settle: () => void
  readonly undo: () => void
  readonly redo: () => void
  /** Saves the draft; `force` also overwrites a change made elsewhere. */
  readonly save: (force?: boolean) => Promise<void>
  /** Reads the room again and drops the draft. */
  readonly reload: () => Promise<void>
}

const pathOf = (environmentId: string): string => `/environments/${encodeURIComponent(environmentId)}`

const isConflict = (cause: unknown): boolean => cause instanceof RequestFailed && cause.status === 412

const readRoom = (environmentId: string) => authorisedTagged<Environment>(pathOf(environmentId))

/** Saves a draft. A change of the room that does not concern it, such as a board that was adopted, is no conflict. */
const putDraft = async (environmentId: string, draft: Draft, before: Draft, ifMatch: string | null) => {
  const put = (ifMatch: string | null) =>
    authorisedTagged<Environment>(pathOf(environmentId), { method: "PUT", body: roundedDraft(draft), ifMatch })
  try {
    return await put(ifMatch)
  } catch (cause) {
    if (!isConflict(cause)) throw cause
    const { etag, value } = await readRoom(environmentId)
    if (!sameDraft(draftOf(value), before)) throw cause
    return await put(etag)
  }
}

const makePlanStore = (environment: Environment, tag: string | null): PlanStore => {
  const { environment_id: environmentId } = environment
  const steps = signal<Undoable<Draft>>(undoable(draftOf(environment)))
  const saved = signal<Draft>(steps.value.present)
  const saving = signal<Saving>({ state: "idle" })
  const selection = signal<Selection>({ kind: "room" })
  let etag = tag
  const move = (to: Undoable<Draft>): void => {
    steps.value = to
    if (saving.value.state === "saved") saving.value = { state: "idle" }
  }
  const accept = (value: Environment, tag: string | null): void => {
    etag = tag
    saved.value = draftOf(value)
    void loadEnvironments()
  }
  const fail = (cause: unknown): void => {
    saving.value = { state: "failed", reason: (cause as Error).message, isMoved: isConflict(cause) }
  }
  return {
    environmentId,
    draft: computed(() => steps.value.present),
    selection,
    isDirty: computed(() => !sameDraft(steps.value.present, saved.value)),
    canUndo: computed(() => steps.value.past.length > 0),
    canRedo: computed(() => steps.value.future.length > 0),
    saving,
    apply: (change, gesture) => {
      const next = change(steps.value.present)
      if (next !== steps.value.present) move(changed(steps.value, next, gesture ?? null))
    },
    drag: (change, gesture) => move(dragged(steps.value, change, gesture)),
    settle: () => steps.value = settled(steps.value),
    undo: () => move(undone(steps.value)),
    redo: () => move(redone(steps.value)),
    save: async (force = false) => {
      saving.value = { state: "saving" }
      const body = steps.value.present
      try {
        const answer = await putDraft(environmentId, body, saved.value, force ? null : etag)
        accept(answer.value, answer.etag)
        if (steps.value.present === body) steps.value = { ...steps.value, present: saved.value, gesture: null }
        saving.value = { state: "saved" }
      } catch (cause) {
        fail(cause)
      }
    },
    reload: async () => {
      try {
        const answer = await readRoom(environmentId)
        accept(answer.value, answer.etag)
        steps.value = undoable(saved.value)
        saving.value = { state: "idle" }
      } catch (cause) {
        fail(cause)
      }
    },
  }
}

/** Reads a room for editing. Throws `RequestFailed`. */
export const openPlan = async (environmentId: string): Promise<PlanStore> => {
  const { etag, value } = await readRoom(environmentId)
  return makePlanStore(value, etag)
}
