/** What can be dragged on the plan: boards with their array axes, zones with their corners, the size of the room. Keys move them too. */
import type { Geometry } from "../../service/types.ts"
import {
  anglesOf,
  axisOf,
  type Draft,
  type Node,
  type Place,
  type Selection,
  withCorner,
  withNewCorner,
  withNode,
  withoutCorner,
  withoutNode,
  withoutZone,
  withSize,
  withZoneMoved,
  type Zone,
} from "./draft.ts"
import { largeStepM, lengthText, snapped, stepM } from "./lengths.ts"
import type { PlanStore } from "./plan-store.ts"

/** What happens to a dragged thing: the change of the draft, as it was before, when the pointer is at `at`, having moved `by`. */
type Drag = (at: Place, by: Place) => (draft: Draft) => Draft

export interface Grip {
  readonly drag: Drag
  readonly gesture: string
  readonly select: Selection
}

/** Begins a drag; the editor follows the pointer. */
export type Begin = (event: PointerEvent, grip: Grip) => void

interface HandleProps {
  readonly store: PlanStore
  readonly begin: Begin
}

const arrows: Readonly<Record<string, Place>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: 1 },
  ArrowDown: { x: 0, y: -1 },
}

/** Listeners of a handle: pointer, and keys that move by 5 cm, with Shift 50 cm. */
const listeners = (
  { begin, store }: HandleProps,
  grip: Grip,
  keys: { readonly move: (by: Place) => (draft: Draft) => Draft; readonly remove?: (draft: Draft) => Draft },
) => ({
  tabIndex: 0,
  onPointerDown: (event: PointerEvent) => begin(event, grip),
  onFocus: () => store.selection.value = grip.select,
  onKeyDown: (event: KeyboardEvent) => {
    const arrow = arrows[event.key]
    const step = event.shiftKey ? largeStepM : stepM
    if (arrow !== undefined) {
      event.preventDefault()
      store.apply(keys.move({ x: arrow.x * step, y: arrow.y * step }), `keys ${grip.gesture}`)
    } else if ((event.key === "Delete" || event.key === "Backspace") && keys.remove !== undefined) {
      event.preventDefault()
      store.apply(keys.remove)
      store.selection.value = { kind: "room" }
    }
  },
})

const axisLengthM = 0.55

/** The array axis of the selected board: its end turns it. */
const AxisHandle = ({ begin, node, store }: HandleProps & { readonly node: Node }) => {
  const { array_axis: axis, node_id: id, position: { x, y } } = node
  const { azimuth, elevation } = anglesOf(axis)
  const turn = (azimuth: number) => (draft: Draft) =>
    withNode(draft, id, { array_axis: axisOf({ azimuth, elevation: Math.abs(elevation) === 90 ? 0 : elevation }) })
  const grip: Grip = {
    gesture: `axis ${id}`,
    select: { kind: "node", id },
    drag: (at) => turn(Math.round(Math.atan2(at.y - y, at.x - x) * 36 / Math.PI) * 5),
  }
  return (
    <g class="axis">
      <line
        x1={x - axis.x * axisLengthM}
        y1={-(y - axis.y * axisLengthM)}
        x2={x + axis.x * axisLengthM}
        y2={-(y + axis.y * axisLengthM)}
      />
      <circle
        cx={x + axis.x * axisLengthM}
        cy={-(y + axis.y * axisLengthM)}
        r={0.11}
        role="button"
        aria-label={`Antennas of ${id}, ${azimuth} degrees. Left and right turn them.`}
        {...listeners({ begin, store }, grip, { move: (by) => turn(azimuth - Math.sign(by.x + by.y) * 5) })}
      />
    </g>
  )
}

export const NodeHandle = ({ begin, isSelected, node, store }: HandleProps & {
  readonly node: Node
  readonly isSelected: boolean
}) => {
  const { node_id: id, position } = node
  const grip: Grip = {
    gesture: `node ${id}`,
    select: { kind: "node", id },
    drag: (at) => (draft) => withNode(draft, id, { x: snapped(at.x), y: snapped(at.y) }),
  }
  const text = `${id} at ${lengthText(position.x)}, ${lengthText(position.y)} m, ${lengthText(position.z)} m high`
  return (
    <g class={isSelected ? "board selected" : "board"}>
      {isSelected && <AxisHandle begin={begin} node={node} store={store} />}
      <g
        role="button"
        aria-label={`${text}. Arrow keys move it, Delete removes it.`}
        {...listeners({ begin, store }, grip, {
          move: (by) => (draft) => withNode(draft, id, { x: position.x + by.x, y: position.y + by.y }),
          remove: (draft) => withoutNode(draft, id),
        })}
      >
        <circle class="reach" cx={position.x} cy={-position.y} r={0.3} />
        <rect x={position.x - 0.1} y={-position.y - 0.1} width={0.2} height={0.2} rx={0.05} />
      </g>
      <text x={position.x} y={-position.y - 0.18}>{id}</text>
    </g>
  )
}

const Corners = ({ begin, store, zone }: HandleProps & { readonly zone: Zone }) => {
  const { polygon, zone_id: id } = zone
  return (
    <>
      {polygon.map(({ x, y }, index) => {
        const next = polygon[(index + 1) % polygon.length]!
        return (
          <g key={index} class="corner">
            <circle
              class="edge"
              cx={(x + next.x) / 2}
              cy={-(y + next.y) / 2}
              r={0.08}
              onPointerDown={(event) => {
                event.stopPropagation()
                store.apply((draft) => withNewCorner(draft, id, index))
              }}
            />
            <circle
              cx={x}
              cy={-y}
              r={0.12}
              role="button"
              aria-label={`Corner ${index + 1} of ${zone.name} at ${lengthText(x)}, ${
                lengthText(y)
              } m. Arrow keys move it.`}
              {...listeners({ begin, store }, {
                gesture: `corner ${id} ${index}`,
                select: { kind: "zone", id },
                drag: (at) => (draft) => withCorner(draft, id, index, { x: snapped(at.x), y: snapped(at.y) }),
              }, {
                move: (by) => (draft) => withCorner(draft, id, index, { x: x + by.x, y: y + by.y }),
                remove: (draft) => withoutCorner(draft, id, index),
              })}
            />
          </g>
        )
      })}
    </>
  )
}

export const ZoneHandle = ({ begin, isSelected, store, zone }: HandleProps & {
  readonly zone: Zone
  readonly isSelected: boolean
}) => {
  const { name, polygon, zone_id: id } = zone
  const centre = {
    x: polygon.reduce((sum, { x }) => sum + x, 0) / polygon.length,
    y: polygon.reduce((sum, { y }) => sum + y, 0) / polygon.length,
  }
  const grip: Grip = {
    gesture: `zone ${id}`,
    select: { kind: "zone", id },
    drag: (_at, by) => (draft) => withZoneMoved(draft, id, by),
  }
  return (
    <g class={`zone kind-${zone.kind}${isSelected ? " selected" : ""}`}>
      <polygon
        points={polygon.map(({ x, y }) => `${x},${-y}`).join(" ")}
        role="button"
        aria-label={`Zone ${name}, ${polygon.length} corners. Arrow keys move it, Delete removes it.`}
        {...listeners({ begin, store }, grip, {
          move: (by) => (draft) => withZoneMoved(draft, id, by),
          remove: (draft) => withoutZone(draft, id),
        })}
      />
      <text x={centre.x} y={-centre.y}>{name}</text>
      {isSelected && <Corners begin={begin} store={store} zone={zone} />}
    </g>
  )
}

/** The corner of the room at its full extent. */
export const SizeHandle = ({ begin, size, store }: HandleProps & { readonly size: Geometry["size"] }) => (
  <rect
    class="size"
    x={size.x - 0.12}
    y={-size.y - 0.12}
    width={0.24}
    height={0.24}
    role="button"
    aria-label={`Size of the room, ${lengthText(size.x)} by ${lengthText(size.y)} m. Arrow keys change it.`}
    {...listeners({ begin, store }, {
      gesture: "size",
      select: { kind: "room" },
      drag: (at) => (draft) => withSize(draft, { x: snapped(at.x), y: snapped(at.y) }),
    }, { move: (by) => (draft) => withSize(draft, { x: size.x + by.x, y: size.y + by.y }) })}
  />
)
