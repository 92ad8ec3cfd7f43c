/**
 * The drawing of a range: presence, motion, persons, activities, labels and the source of the frames, one row each, over the same time.
 * Minutes without frames are hatched.
 */
import type { Brush } from "../live/surface.ts"
import type { RoomLabel } from "../service/types.ts"
import { minuteText } from "../state/time-text.ts"
import { activities, type Bucket, type FrameSource, sourceOf } from "./buckets.ts"

/** A row: its title, top and height in pixels. */
const rows = {
  presence: { title: "Presence", top: 4, height: 26 },
  motion: { title: "Motion", top: 38, height: 34 },
  persons: { title: "Persons", top: 80, height: 44 },
  activities: { title: "Activity", top: 130, height: 22 },
  labels: { title: "Labels", top: 160, height: 12 },
  sources: { title: "Source", top: 180, height: 8 },
} as const
const bottomPx = 188
/** Width of the titles. */
export const gutterPx = 66

interface Area {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** What is drawn: the selected minute, and a span that is marked for a label. Both are epoch ms. */
export interface Marks {
  readonly selectedMs: number
  readonly span: { readonly fromMs: number; readonly toMs: number } | null
}

export interface HistoryPicture {
  readonly buckets: ReadonlyArray<Bucket>
  readonly labels: ReadonlyArray<RoomLabel>
  /** Rooms without positions have no persons. */
  readonly hasPersons: boolean
  readonly marks: Marks
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

const stripePx = { period: 6, width: 4 } as const

/** Fills an area with vertical stripes. Those of neighbouring areas continue. */
const stripe = ({ colour, context }: Brush, { height, left, top, width }: Area, name: string): void => {
  const { period, width: broad } = stripePx
  context.fillStyle = colour(name)
  for (let x = Math.floor(left / period) * period; x < left + width; x += period) {
    const from = Math.max(left, x)
    const to = Math.min(left + width, x + broad)
    if (to > from) context.fillRect(from, top, to - from, height)
  }
}

const fill = ({ colour, context }: Brush, { height, left, top, width }: Area, name: string): void => {
  context.fillStyle = colour(name)
  context.fillRect(left, top, width, height)
}

const sourceColours: Readonly<Record<FrameSource, string>> = {
  live: "--present",
  replay: "--replay",
  simulated: "--warn",
}

type Recorded = NonNullable<Bucket["recorded"]>

const drawPresence = (brush: Brush, { absent, present }: Recorded, left: number, width: number): void => {
  const { height, top } = rows.presence
  fill(brush, { left, top, width, height }, "--line")
  fill(brush, { left, top, width, height: height * absent }, "--absent")
  fill(brush, { left, top: top + height * (1 - present), width, height: height * present }, "--present")
}

const drawPersons = (brush: Brush, recorded: Recorded, left: number, width: number, personsMax: number): void => {
  const { height: high, top: begin } = rows.persons
  for (const [value, alpha] of [[recorded.personsMax ?? 0, 0.3], [recorded.personsMean ?? 0, 1]] as const) {
    const height = high * value / personsMax
    brush.context.globalAlpha = alpha
    fill(brush, { left, top: begin + high - height, width, height }, "--accent")
  }
  brush.context.globalAlpha = 1
  let { top } = rows.activities
  for (const name of activities) {
    const height = rows.activities.height * recorded.shares[name]
    fill(brush, { left, top, width, height }, `--${name}`)
    top += height
  }
}

const drawBucket = (
  brush: Brush,
  { hasPersons }: HistoryPicture,
  { recorded }: Bucket,
  left: number,
  width: number,
  personsMax: number,
): void => {
  const { top } = rows.presence
  if (recorded === null) {
    hatch(brush, { left, top, width, height: bottomPx - top }, brush.colour("--line"))
    return
  }
  drawPresence(brush, recorded, left, width)
  if (hasPersons) drawPersons(brush, recorded, left, width, personsMax)
  const source = sourceOf(recorded)
  const area = { left, width, ...rows.sources }
  if (source === "simulated") hatch(brush, area, brush.colour(sourceColours.simulated))
  else if (source === "replay") stripe(brush, area, sourceColours.replay)
  else fill(brush, area, sourceColours.live)
}

/** A line through the minutes that have a value; a minute without one is a gap. */
const drawMotion = (
  { colour, context }: Brush,
  buckets: ReadonlyArray<Bucket>,
  at: (index: number) => number,
): void => {
  const { height, top } = rows.motion
  context.strokeStyle = colour("--accent")
  context.lineWidth = 1.5
  context.beginPath()
  let isOn = false
  for (const [index, { recorded }] of buckets.entries()) {
    const motion = recorded?.motion ?? null
    const next = buckets[index + 1]?.recorded?.motion ?? null
    if (motion !== null) {
      const y = top + height * (1 - motion)
      if (!isOn) context.moveTo(at(index), y)
      context.lineTo(at(index + (next === null ? 1 : 0.5)), y)
    }
    isOn = motion !== null
  }
  context.stroke()
}

const labelColours = { empty: "--absent", moving: "--walking", still: "--sitting" } as const

const ticks = 4

const drawScale = (brush: Brush, { buckets, hasPersons }: HistoryPicture): void => {
  const { colour, context, width } = brush
  context.fillStyle = colour("--ink-soft")
  context.font = "11px system-ui, sans-serif"
  context.textBaseline = "middle"
  context.textAlign = "left"
  for (const [name, { height, title, top }] of Object.entries(rows)) {
    if (!hasPersons && (name === "persons" || name === "activities")) continue
    context.fillText(title, 0, top + height / 2)
  }
  context.textBaseline = "top"
  for (let tick = 0; tick <= ticks; tick++) {
    const index = Math.min(buckets.length - 1, Math.floor(buckets.length * tick / ticks))
    const ms = tick === ticks ? buckets[index]!.endMs : buckets[index]!.startMs
    context.textAlign = tick === 0 ? "left" : tick === ticks ? "right" : "center"
    context.fillText(minuteText(ms), gutterPx + (width - gutterPx) * tick / ticks, bottomPx + 6)
  }
}

export const drawHistory = (brush: Brush, picture: HistoryPicture): void => {
  const { buckets, labels, marks } = picture
  const { colour, context, width } = brush
  const bucketPx = (width - gutterPx) / buckets.length
  const at = (index: number): number => gutterPx + index * bucketPx
  const { startMs } = buckets[0]!
  const spanMs = buckets.at(-1)!.endMs - startMs
  const atMs = (ms: number): number => gutterPx + (width - gutterPx) * Math.min(1, Math.max(0, (ms - startMs) / spanMs))
  const gapPx = bucketPx > 6 ? 1 : 0
  const personsMax = Math.max(2, ...buckets.map(({ recorded }) => recorded?.personsMax ?? 0))
  for (const [index, bucket] of buckets.entries()) {
    drawBucket(brush, picture, bucket, at(index), bucketPx - (bucket.recorded === null ? 0 : gapPx), personsMax)
  }
  drawMotion(brush, buckets, at)
  for (const { end_time, start_time, state } of labels) {
    const left = atMs(Date.parse(start_time))
    fill(brush, { left, width: Math.max(2, atMs(Date.parse(end_time)) - left), ...rows.labels }, labelColours[state])
  }
  drawScale(brush, picture)
  const { height, top } = { top: rows.presence.top - 2, height: bottomPx - rows.presence.top + 4 }
  if (marks.span !== null) {
    const left = atMs(marks.span.fromMs)
    context.globalAlpha = 0.18
    fill(brush, { left, top, width: atMs(marks.span.toMs) - left, height }, "--accent")
    context.globalAlpha = 1
  }
  context.strokeStyle = colour("--ink")
  context.lineWidth = 2
  context.strokeRect(atMs(marks.selectedMs), top, Math.max(2, bucketPx - gapPx), height)
}
