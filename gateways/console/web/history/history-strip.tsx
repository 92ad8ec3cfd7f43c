/**
 * The strip of a range: see `history-drawing.ts`. A range input below selects a minute, so that keys do too. A drag marks a span for a label.
 */
import { useRef } from "preact/hooks"
import { useSurface } from "../live/surface.ts"
import { activities, bucketText } from "./buckets.ts"
import { drawHistory, gutterPx, type HistoryPicture, type Marks } from "./history-drawing.ts"

const Legend = ({ hasPersons }: Pick<HistoryPicture, "hasPersons">) => (
  <figcaption>
    <span class="key key-present">somebody</span>
    <span class="key key-absent">nobody</span>
    <span class="key key-unknown">not known</span>
    <span class="key key-motion">motion</span>
    {hasPersons && (
      <>
        <span class="key key-persons">persons, mean</span>
        <span class="key key-most">at most</span>
        {activities.map((name) => <span key={name} class={`key key-activity-${name}`}>{name}</span>)}
      </>
    )}
    <span class="key key-simulated">simulated</span>
    <span class="key key-replay">replay</span>
    <span class="key key-gap">no frames</span>
  </figcaption>
)

export const HistoryStrip = ({ onSelect, onSpan, picture, selected }: {
  readonly picture: HistoryPicture
  /** Index of the selected minute. */
  readonly selected: number
  readonly onSelect: (index: number) => void
  readonly onSpan: (span: Marks["span"]) => void
}) => {
  const { buckets, hasPersons } = picture
  const canvas = useSurface((brush) => drawHistory(brush, picture), { isStill: true })
  const begun = useRef<number | null>(null)
  const bucket = buckets[selected]!
  const indexAt = (clientX: number): number => {
    const { left, width } = canvas.current!.getBoundingClientRect()
    const index = Math.floor((clientX - left - gutterPx) / (width - gutterPx) * buckets.length)
    return Math.min(buckets.length - 1, Math.max(0, index))
  }
  return (
    <figure class="history-strip">
      <canvas
        ref={canvas}
        role="img"
        aria-label="Presence, motion, persons, labels and sources over the time that is shown"
        onPointerDown={({ clientX, currentTarget, pointerId }) => {
          currentTarget.setPointerCapture(pointerId)
          begun.current = indexAt(clientX)
          onSpan(null)
          onSelect(begun.current)
        }}
        onPointerMove={({ clientX }) => {
          const from = begun.current
          if (from === null) return
          const to = indexAt(clientX)
          if (to === from) return
          const [first, last] = [Math.min(from, to), Math.max(from, to)]
          onSpan({ fromMs: buckets[first]!.startMs, toMs: buckets[last]!.endMs })
        }}
        onPointerUp={() => begun.current = null}
        onPointerCancel={() => begun.current = null}
      />
      <input
        type="range"
        aria-label="Minute"
        aria-valuetext={bucketText(bucket)}
        min={0}
        max={buckets.length - 1}
        value={selected}
        onInput={({ currentTarget }) => onSelect(Number(currentTarget.value))}
      />
      <p>{bucketText(bucket)}</p>
      <Legend hasPersons={hasPersons} />
    </figure>
  )
}
