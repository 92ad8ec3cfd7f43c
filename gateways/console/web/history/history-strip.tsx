/**
 * The strip of a range: the number of persons (mean solid, maximum pale), the shares of their activities, and the source of the frames.
 * Buckets without frames are hatched. A range input below selects a bucket, so that keys do too.
 */
import { type Brush, useSurface } from "../live/surface.ts"
import { activities, type Bucket, bucketText, type FrameSource, sourceOf } from "./buckets.ts"
import { minuteMs } from "./history-range.ts"

const rows = { persons: { top: 16, height: 72 }, activities: { top: 94, height: 28 }, sources: { top: 126, height: 6 } }
const bottomPx = 132

interface Area {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const hatchStepPx = 7

/** Hatches an area. The lines of neighbouring areas meet. */
const hatch = ({ context }: Brush, { height, left, top, width }: Area, style: string): void => {
  context.save()
  context.beginPath()
  context.rect(left, top, width, height)
  context.clip()
  context.strokeStyle = style
  context.lineWidth = 1
  context.beginPath()
  for (let x = Math.floor((left - height) / hatchStepPx) * hatchStepPx; x < left + width; x += hatchStepPx) {
    context.moveTo(x, top + height)
    context.lineTo(x + height, top)
  }
  context.stroke()
  context.restore()
}

const sourceColours: Readonly<Record<FrameSource, string>> = {
  live: "--present",
  replay: "--replay",
  simulated: "--warn",
}

const drawBucket = (brush: Brush, { recorded }: Bucket, left: number, width: number, personsMax: number): void => {
  const { colour, context } = brush
  if (recorded === null) {
    hatch(brush, { left, top: rows.persons.top, width, height: bottomPx - rows.persons.top }, colour("--line"))
    return
  }
  const floor = rows.persons.top + rows.persons.height
  context.fillStyle = colour("--accent")
  for (const [value, alpha] of [[recorded.personsMax, 0.3], [recorded.personsMean, 1]] as const) {
    const height = rows.persons.height * value / personsMax
    context.globalAlpha = alpha
    context.fillRect(left, floor - height, width, height)
  }
  context.globalAlpha = 1
  let top = rows.activities.top
  for (const name of activities) {
    const height = rows.activities.height * recorded.shares[name]
    context.fillStyle = colour(`--${name}`)
    context.fillRect(left, top, width, height)
    top += height
  }
  const source = sourceOf(recorded)
  const area = { left, width, ...rows.sources }
  if (source === "simulated") hatch(brush, area, colour(sourceColours.simulated))
  else {
    context.fillStyle = colour(sourceColours[source])
    context.fillRect(area.left, area.top, area.width, area.height)
  }
}

/** Pixels that the text of a gap needs. */
const gapTextPx = 70

/** Writes "no frames" into each gap that is wide enough. */
const nameGaps = ({ colour, context }: Brush, buckets: ReadonlyArray<Bucket>, bucketPx: number): void => {
  context.fillStyle = colour("--ink-soft")
  context.textAlign = "center"
  context.textBaseline = "middle"
  let begin = 0
  for (let index = 0; index <= buckets.length; index++) {
    if (buckets[index]?.recorded === null) continue
    if ((index - begin) * bucketPx >= gapTextPx) {
      context.fillText("no frames", (begin + index) / 2 * bucketPx, rows.persons.top + rows.persons.height / 2)
    }
    begin = index + 1
  }
}

const timeText = (ms: number): string =>
  new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })

const ticks = 4

const drawScale = ({ colour, context, width }: Brush, buckets: ReadonlyArray<Bucket>, personsMax: number): void => {
  context.fillStyle = colour("--ink-soft")
  context.font = "11px system-ui, sans-serif"
  context.textBaseline = "top"
  context.textAlign = "left"
  context.fillText(`${personsMax} persons`, 0, 0)
  for (let tick = 0; tick <= ticks; tick++) {
    const index = Math.min(buckets.length - 1, Math.floor(buckets.length * tick / ticks))
    const ms = tick === ticks ? buckets[index]!.endMs : buckets[index]!.startMs
    context.textAlign = tick === 0 ? "left" : tick === ticks ? "right" : "center"
    context.fillText(timeText(ms), width * tick / ticks, bottomPx + 5)
  }
}

const drawStrip = (brush: Brush, buckets: ReadonlyArray<Bucket>, selected: number): void => {
  const { colour, context, width } = brush
  const bucketPx = width / buckets.length
  const gapPx = bucketPx > 6 ? 1 : 0
  const personsMax = Math.max(2, ...buckets.map(({ recorded }) => recorded?.personsMax ?? 0))
  for (const [index, bucket] of buckets.entries()) {
    const isGap = bucket.recorded === null
    drawBucket(brush, bucket, index * bucketPx, bucketPx - (isGap ? 0 : gapPx), personsMax)
  }
  drawScale(brush, buckets, personsMax)
  nameGaps(brush, buckets, bucketPx)
  context.strokeStyle = colour("--ink")
  context.lineWidth = 2
  context.strokeRect(
    selected * bucketPx,
    rows.persons.top - 2,
    Math.max(2, bucketPx - gapPx),
    bottomPx - rows.persons.top + 4,
  )
}

export const HistoryStrip = ({ buckets, onSelect, selected }: {
  readonly buckets: ReadonlyArray<Bucket>
  /** Index of the selected bucket. */
  readonly selected: number
  readonly onSelect: (index: number) => void
}) => {
  const canvas = useSurface((brush) => drawStrip(brush, buckets, selected))
  const bucket = buckets[selected]!
  const unit = bucket.endMs - bucket.startMs === minuteMs ? "Minute" : "Hour"
  return (
    <figure class="history-strip">
      <canvas
        ref={canvas}
        role="img"
        aria-label="Persons, activities and sources over the time that is shown"
        onPointerDown={({ clientX, currentTarget }) => {
          const { left, width } = currentTarget.getBoundingClientRect()
          const index = Math.floor((clientX - left) / width * buckets.length)
          onSelect(Math.min(buckets.length - 1, Math.max(0, index)))
        }}
      />
      <input
        type="range"
        aria-label={unit}
        aria-valuetext={bucketText(bucket)}
        min={0}
        max={buckets.length - 1}
        value={selected}
        onInput={({ currentTarget }) => onSelect(Number(currentTarget.value))}
      />
      <p>{bucketText(bucket)}</p>
      <figcaption>
        <span class="key key-motion">persons, mean</span>
        <span class="key key-most">at most</span>
        {activities.map((name) => <span key={name} class={`key key-activity-${name}`}>{name}</span>)}
        <span class="key key-simulated">simulated</span>
        <span class="key key-gap">no frames</span>
      </figcaption>
    </figure>
  )
}
