/** What can be done to the plan: add, undo, save; and whether it is saved. */
import { type Signal, useSignal } from "@preact/signals"
import { freeZoneId, withNewNode, withNewZone } from "./draft.ts"
import type { Overlay } from "./plan-editor.tsx"
import type { PlanStore } from "./plan-store.ts"

/** What colours the plan. */
export type CoverageKind = "none" | "geometry" | "simulated"

const idPattern = "[A-Za-z0-9][A-Za-z0-9._:\\-]{0,63}"

/** Places a board that is known and not on the plan yet, or one whose id is typed: a transmitter without a router. */
const PlaceBoard = ({ known, overlay, store }: {
  readonly store: PlanStore
  readonly known: ReadonlyArray<string>
  readonly overlay: Overlay | null
}) => {
  const id = useSignal("")
  const placed = store.draft.value.geometry?.nodes.map(({ node_id }) => node_id) ?? []
  const open = known.filter((one) => !placed.includes(one))
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault()
        const chosen = id.value === "" ? open[0] ?? "" : id.value
        if (chosen === "") return
        store.apply((draft) => withNewNode(draft, chosen, overlay?.next ?? undefined))
        store.selection.value = { kind: "node", id: chosen }
        id.value = ""
      }}
    >
      <input
        aria-label="Id of the board"
        list="boards-to-place"
        pattern={idPattern}
        placeholder={open[0] ?? "id of a board"}
        value={id.value}
        onInput={({ currentTarget }) => id.value = currentTarget.value}
      />
      <datalist id="boards-to-place">{open.map((one) => <option key={one} value={one} />)}</datalist>
      <button type="submit" class="quiet">Place board</button>
    </form>
  )
}

const Saving = ({ store }: { readonly store: PlanStore }) => {
  const { value } = store.saving
  if (value.state !== "failed") {
    return (
      <span class="saving" role="status">
        {value.state === "saving"
          ? "Saving…"
          : store.isDirty.value
          ? "Not saved"
          : value.state === "saved"
          ? "Saved"
          : ""}
      </span>
    )
  }
  return (
    <div class="notice conflict" role="alert">
      <p>{value.isMoved ? "Somebody else has changed this room meanwhile." : value.reason}</p>
      {value.isMoved && (
        <p class="actions">
          <button type="button" onClick={() => void store.reload()}>Take theirs</button>
          <button type="button" class="quiet" onClick={() => void store.save(true)}>Save mine over it</button>
        </p>
      )}
    </div>
  )
}

const coverageWords: Readonly<Record<CoverageKind, string>> = {
  none: "Coverage off",
  geometry: "Coverage by geometry",
  simulated: "Coverage simulated",
}

export const PlanToolbar = ({ coverage, known, overlay, store }: {
  readonly store: PlanStore
  readonly known: ReadonlyArray<string>
  readonly coverage: Signal<CoverageKind>
  readonly overlay: Overlay | null
}) => {
  const hasPlan = store.draft.value.geometry !== null
  return (
    <div class="toolbar" role="toolbar" aria-label="Plan">
      {hasPlan && (
        <>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              const id = freeZoneId(store.draft.value)
              store.apply((draft) => withNewZone(draft, id))
              store.selection.value = { kind: "zone", id }
            }}
          >
            Add zone
          </button>
          <PlaceBoard store={store} known={known} overlay={overlay} />
          <select
            aria-label="Coverage"
            value={coverage.value}
            onChange={({ currentTarget }) => coverage.value = currentTarget.value as CoverageKind}
          >
            {Object.entries(coverageWords).map(([value, words]) => <option key={value} value={value}>{words}</option>)}
          </select>
        </>
      )}
      <div class="changes">
        <Saving store={store} />
        <button type="button" class="quiet" disabled={!store.canUndo.value} onClick={store.undo}>Undo</button>
        <button type="button" class="quiet" disabled={!store.canRedo.value} onClick={store.redo}>Redo</button>
        <button
          type="button"
          disabled={!store.isDirty.value || store.saving.value.state === "saving"}
          onClick={() => void store.save()}
        >
          Save
        </button>
      </div>
    </div>
  )
}
