/** The properties of what is selected on the plan, as fields: everything that can be dragged can be typed. */
import type { ComponentChildren } from "preact"
import {
  anglesOf,
  axisOf,
  cornersMin,
  extentM,
  type Node,
  withCorner,
  withNewCorner,
  withNode,
  withoutCorner,
  withoutNode,
  withoutZone,
  withSize,
  withZone,
  type Zone,
} from "./draft.ts"
import { LengthField } from "./length-field.tsx"
import type { PlanStore } from "./plan-store.ts"

interface Edits {
  readonly store: PlanStore
}

/** What a zone is for, in words. */
const kindWords: Readonly<Record<Zone["kind"], string>> = {
  general: "general",
  bed: "bed: lying still here is no alarm",
  watched: "watched: entering it is an alarm",
}

const roleWords: Readonly<Record<NonNullable<Zone["role"]>, string>> = {
  entrance: "entrance",
  product: "products",
  checkout: "checkout",
  purchase: "purchase",
}

const RoomFields = ({ store }: Edits) => {
  const { geometry, name } = store.draft.value
  return (
    <>
      <h3>Room</h3>
      <label class="field">
        <span>Name</span>
        <input
          value={name}
          maxLength={128}
          onChange={({ currentTarget }) => {
            const given = currentTarget.value.trim()
            if (given !== "") store.apply((draft) => ({ ...draft, name: given }))
          }}
        />
      </label>
      <div class="fields">
        {([["x", "Width"], ["y", "Depth"], ["z", "Height"]] as const).map(([axis, label]) => (
          <LengthField
            key={axis}
            label={`${label}, m`}
            valueM={geometry?.size[axis] ?? (axis === "z" ? 2.5 : 4)}
            min={extentM.min}
            max={extentM.max}
            onChange={(value) => store.apply((draft) => withSize(draft, { [axis]: value }))}
          />
        ))}
      </div>
      <p class="reason">
        A rectangle: the estimator uses the bounding box of the room. Measure from the corner at the lower left.
      </p>
    </>
  )
}

const AngleField = ({ label, max, min, onChange, value }: {
  readonly label: string
  readonly value: number
  readonly min: number
  readonly max: number
  readonly onChange: (degrees: number) => void
}) => (
  <label class="field">
    <span>{label}</span>
    <input
      type="number"
      min={min}
      max={max}
      step={5}
      value={value}
      onChange={({ currentTarget }) => {
        if (currentTarget.value !== "" && currentTarget.checkValidity()) onChange(Number(currentTarget.value))
        else currentTarget.value = String(value)
      }}
    />
  </label>
)

const NodeFields = ({ node, store }: Edits & { readonly node: Node }) => {
  const { array_axis, node_id: id, position } = node
  const size = store.draft.value.geometry!.size
  const angles = anglesOf(array_axis)
  const turn = (change: Partial<typeof angles>) =>
    store.apply((draft) => withNode(draft, id, { array_axis: axisOf({ ...angles, ...change }) }))
  return (
    <>
      <h3>{`Board ${id}`}</h3>
      <div class="fields">
        {([["x", "From left"], ["y", "From below"], ["z", "Height"]] as const).map(([axis, label]) => (
          <LengthField
            key={axis}
            label={`${label}, m`}
            valueM={position[axis]}
            max={size[axis]}
            onChange={(value) => store.apply((draft) => withNode(draft, id, { [axis]: value }))}
          />
        ))}
      </div>
      <div class="fields">
        <AngleField
          label="Antennas, degrees"
          min={-180}
          max={180}
          value={angles.azimuth}
          onChange={(azimuth) => turn({ azimuth })}
        />
        <AngleField
          label="Tilt, degrees"
          min={-90}
          max={90}
          value={angles.elevation}
          onChange={(elevation) => turn({ elevation })}
        />
      </div>
      <p class="reason">
        The line through the board is the row of its antennas. With one antenna its direction does not matter.
      </p>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          store.apply((draft) => withoutNode(draft, id))
          store.selection.value = { kind: "room" }
        }}
      >
        Take it off the plan
      </button>
    </>
  )
}

const CornerTable = ({ store, zone }: Edits & { readonly zone: Zone }) => {
  const { polygon, zone_id: id } = zone
  const size = store.draft.value.geometry!.size
  return (
    <div class="table corners" role="region" aria-label="Corners" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Corner</th>
            <th scope="col">x, m</th>
            <th scope="col">y, m</th>
            <th scope="col">
              <span class="unseen">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {polygon.map((corner, index) => (
            <tr key={index}>
              <th scope="row">{index + 1}</th>
              {(["x", "y"] as const).map((axis) => (
                <td key={axis}>
                  <LengthField
                    label={`Corner ${index + 1}, ${axis}`}
                    valueM={corner[axis]}
                    max={size[axis]}
                    onChange={(value) => store.apply((draft) => withCorner(draft, id, index, { [axis]: value }))}
                  />
                </td>
              ))}
              <td class="corner-actions">
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Add a corner after ${index + 1}`}
                  onClick={() => store.apply((draft) => withNewCorner(draft, id, index))}
                >
                  +
                </button>
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove corner ${index + 1}`}
                  disabled={polygon.length <= cornersMin}
                  onClick={() => store.apply((draft) => withoutCorner(draft, id, index))}
                >
                  −
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Choice = ({ children, label, onChange, value }: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly children: ComponentChildren
}) => (
  <label class="field">
    <span>{label}</span>
    <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>{children}</select>
  </label>
)

const ZoneFields = ({ store, zone }: Edits & { readonly zone: Zone }) => {
  const { kind, name, role, zone_id: id } = zone
  const change = (to: Partial<Zone>) => store.apply((draft) => withZone(draft, id, to))
  return (
    <>
      <h3>{`Zone ${id}`}</h3>
      <label class="field">
        <span>Name</span>
        <input
          value={name}
          maxLength={128}
          onChange={({ currentTarget }) => {
            const given = currentTarget.value.trim()
            if (given !== "") change({ name: given })
          }}
        />
      </label>
      <Choice label="Kind" value={kind} onChange={(value) => change({ kind: value as Zone["kind"] })}>
        {Object.entries(kindWords).map(([value, words]) => <option key={value} value={value}>{words}</option>)}
      </Choice>
      <Choice
        label="Role in reports"
        value={role ?? ""}
        onChange={(value) => change({ role: value === "" ? null : value as NonNullable<Zone["role"]> })}
      >
        <option value="">none</option>
        {Object.entries(roleWords).map(([value, words]) => <option key={value} value={value}>{words}</option>)}
      </Choice>
      <CornerTable store={store} zone={zone} />
      <button
        type="button"
        class="quiet"
        onClick={() => {
          store.apply((draft) => withoutZone(draft, id))
          store.selection.value = { kind: "room" }
        }}
      >
        Remove the zone
      </button>
    </>
  )
}

export const Inspector = ({ store }: Edits) => {
  const { geometry, zones } = store.draft.value
  const selection = store.selection.value
  const node = selection.kind === "node" ? geometry?.nodes.find(({ node_id }) => node_id === selection.id) : undefined
  const zone = selection.kind === "zone" ? zones.find(({ zone_id }) => zone_id === selection.id) : undefined
  if (node !== undefined) return <NodeFields key={node.node_id} store={store} node={node} />
  if (zone !== undefined) return <ZoneFields key={zone.zone_id} store={store} zone={zone} />
  return <RoomFields store={store} />
}
