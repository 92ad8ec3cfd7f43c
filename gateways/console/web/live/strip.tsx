/** A minute of presence (bar) and motion (line) of a room. Moments without a statement are hatched. */
import type { Sample } from "../state/room.ts"
import { roomOf, stripMs } from "../state/rooms.ts"
import { type Brush, useSurface } from "./surface.ts"

/** Samples further apart than this leave a gap. */
const gapMsMax = 1_000
const barPx = 8

const fillOf = ({ present }: Sample, colour: Brush["colour"]): string =>
  colour(present === null ? "--line" : present ? "--present" : "--absent")

const drawMotion = (
  { colour, context, height }: Brush,
  samples: ReadonlyArray<Sample>,
  at: (ms: number) => number,
): void => {
  context.strokeStyle = colour("--accent")
  context.lineWidth = 1.5
  context.beginPath()
  let last: Sample | null = null
  for (const sample of samples) {
    if (sample.motion === null) {
      last = null
      continue
    }
    const y = height - barPx - 4 - sample.motion * (height - barPx - 8)
    if (last === null || sample.atMs - last.atMs > gapMsMax) context.moveTo(at(sample.atMs), y)
    else context.lineTo(at(sample.atMs), y)
    last = sample
  }
  context.stroke()
}

export const Strip = ({ environmentId }: { readonly environmentId: string }) => {
  const canvas = useSurface((brush) => {
    const { colour, context, height, nowMs, width } = brush
    const { samples } = roomOf(environmentId)
    const at = (ms: number): number => width * (1 - (nowMs - ms) / stripMs)
    for (const [index, sample] of samples.entries()) {
      const until = Math.min(samples[index + 1]?.atMs ?? nowMs, sample.atMs + gapMsMax)
      context.fillStyle = fillOf(sample, colour)
      context.fillRect(at(sample.atMs), height - barPx, at(until) - at(sample.atMs) + 0.5, barPx)
    }
    drawMotion(brush, samples, at)
  })
  return (
    <figure class="strip">
      <canvas ref={canvas} role="img" aria-label="Presence and motion in the last minute" />
      <figcaption>
        <span class="key key-present">present</span>
        <span class="key key-absent">empty</span>
        <span class="key key-unknown">not known</span>
        <span class="key key-motion">motion</span>
        <span class="key-time">last 60 s</span>
      </figcaption>
    </figure>
  )
}
