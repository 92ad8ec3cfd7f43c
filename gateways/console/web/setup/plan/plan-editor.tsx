/**
 * The plan of a room, drawn by hand: its outline, boards and zones are dragged on an SVG in metres; persons move above it meanwhile, so
 * that users can walk to a corner and see where they are located.
 */
import { useRef } from "preact/hooks"
import { PersonsLayer } from "../../live/persons-layer.tsx"
import type { Geometry } from "../../service/types.ts"
import type { SceneAt } from "../../state/scene.ts"
import { type Place, withSize } from "./draft.ts"
import { clamped, lengthText, snapped } from "./lengths.ts"
import { type Begin, type Grip, NodeHandle, SizeHandle, ZoneHandle } from "./plan-handles.tsx"
import type { PlanStore } from "./plan-store.ts"

/** What is coloured below the plan: squares with a class each. */
export interface Overlay {
  readonly cellM: number
  readonly cells: ReadonlyArray<Place & { readonly grade: string }>
  /** Where one more node helps most, and how it is marked; null: not known. */
  readonly next: Place & { readonly label: string } | null
}

const marginM = 0.7
/** The sheet on which a room without a plan is drawn, metres. */
const sheet = { x: 10, y: 7, z: 2.5 }

/** The place under the pointer, metres. */
const placeOf = (svg: SVGSVGElement, { clientX, clientY }: PointerEvent): Place => {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM()!.inverse())
  return { x, y: -y }
}

interface Dragged extends Grip {
  readonly from: Place
}

/** Follows the pointer from a handle; the whole SVG has the listeners, so a fast pointer is not lost. */
const useDrag = (store: PlanStore) => {
  const dragged = useRef<Dragged | null>(null)
  const begin: Begin = (event, grip) => {
    event.stopPropagation()
    const target = event.currentTarget as SVGElement
    const svg = target.ownerSVGElement ?? target as SVGSVGElement
    svg.setPointerCapture(event.pointerId)
    dragged.current = { ...grip, from: placeOf(svg, event) }
    store.selection.value = grip.select
  }
  const end = (): void => {
    dragged.current = null
    store.settle()
  }
  return {
    begin,
    onPointerMove: (event: PointerEvent) => {
      if (dragged.current === null) return
      const at = placeOf(event.currentTarget as SVGSVGElement, event)
      const { drag, from, gesture } = dragged.current
      store.drag(drag(at, { x: at.x - from.x, y: at.y - from.y }), gesture)
    },
    onPointerUp: end,
    onPointerCancel: end,
  }
}

const Grid = ({ size }: { readonly size: Geometry["size"] }) => (
  <g class="grid">
    {Array.from(
      { length: Math.floor(size.x) },
      (_, x) => <line key={`x${x}`} x1={x + 1} y1={0} x2={x + 1} y2={-size.y} />,
    )}
    {Array.from(
      { length: Math.floor(size.y) },
      (_, y) => <line key={`y${y}`} x1={0} y1={-(y + 1)} x2={size.x} y2={-(y + 1)} />,
    )}
  </g>
)

const Coverage = ({ cellM, cells, next, size }: Overlay & { readonly size: Geometry["size"] }) => (
  <g class="coverage">
    {cells.map(({ grade, x, y }) => (
      <rect
        key={`${x} ${y}`}
        class={`grade-${grade}`}
        x={x - cellM / 2}
        y={-y - cellM / 2}
        width={Math.min(cellM, size.x - x + cellM / 2)}
        height={cellM}
      />
    ))}
    {next !== null && (
      <g class="next">
        <circle cx={next.x} cy={-next.y} r={0.16} />
        <text
          x={clamped(next.x, 0.9, size.x - 0.9)}
          y={next.y > size.y / 2 ? -next.y + 0.42 : -next.y - 0.26}
        >
          {next.label}
        </text>
      </g>
    )}
  </g>
)

/** A blank sheet: a rectangle dragged on it becomes the room. */
const Sheet = ({ store }: { readonly store: PlanStore }) => {
  const from = useRef<Place | null>(null)
  const draw = (to: Place): void => {
    if (from.current === null) return
    const { x, y } = from.current
    store.apply(
      (draft) => withSize(draft, { x: snapped(Math.abs(to.x - x)), y: snapped(Math.abs(to.y - y)) }),
      "draw the room",
    )
  }
  return (
    <div class="plan-editor">
      <svg
        viewBox={`${-marginM} ${-sheet.y - marginM} ${sheet.x + 2 * marginM} ${sheet.y + 2 * marginM}`}
        role="img"
        aria-label="A blank sheet with a grid of one metre. Drag a rectangle, or type the size of the room."
        class="sheet"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          from.current = placeOf(event.currentTarget, event)
        }}
        onPointerUp={(event) => {
          draw(placeOf(event.currentTarget, event))
          from.current = null
          store.settle()
        }}
      >
        <rect class="floor" x={0} y={-sheet.y} width={sheet.x} height={sheet.y} />
        <Grid size={sheet} />
        <text class="hint" x={sheet.x / 2} y={-sheet.y / 2}>Drag a rectangle: the room, seen from above</text>
      </svg>
    </div>
  )
}

export const PlanEditor = ({ overlay, sceneAt, store }: {
  readonly store: PlanStore
  readonly sceneAt: SceneAt
  readonly overlay: Overlay | null
}) => {
  const { begin, ...pointer } = useDrag(store)
  const { geometry, zones } = store.draft.value
  if (geometry === null) return <Sheet store={store} />
  const { nodes, size } = geometry
  const selection = store.selection.value
  return (
    <div class="plan-editor">
      <svg
        viewBox={`${-marginM} ${-size.y - marginM} ${size.x + 2 * marginM} ${size.y + 2 * marginM}`}
        role="group"
        aria-label={`Plan, ${lengthText(size.x)} by ${
          lengthText(size.y)
        } metres. Its boards, zones and corners can be moved.`}
        {...pointer}
        onPointerDown={() => store.selection.value = { kind: "room" }}
      >
        <rect class="floor" x={0} y={-size.y} width={size.x} height={size.y} />
        {overlay !== null && <Coverage {...overlay} size={size} />}
        <Grid size={size} />
        <text class="extent" x={size.x / 2} y={0.4}>{`${lengthText(size.x)} m`}</text>
        <text class="extent" transform={`translate(-0.25 ${-size.y / 2}) rotate(-90)`}>
          {`${lengthText(size.y)} m`}
        </text>
        {zones.map((zone) => (
          <ZoneHandle
            key={zone.zone_id}
            begin={begin}
            store={store}
            zone={zone}
            isSelected={selection.kind === "zone" && selection.id === zone.zone_id}
          />
        ))}
        {nodes.map((node) => (
          <NodeHandle
            key={node.node_id}
            begin={begin}
            store={store}
            node={node}
            isSelected={selection.kind === "node" && selection.id === node.node_id}
          />
        ))}
        <SizeHandle begin={begin} store={store} size={size} />
      </svg>
      <PersonsLayer size={size} marginM={marginM} sceneAt={sceneAt} />
    </div>
  )
}
