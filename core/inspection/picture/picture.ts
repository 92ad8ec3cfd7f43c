/**
 * The picture of a capture: the amplitude of its busiest link by antenna and subcarrier, its Doppler spectrogram over the same time,
 * and the delays and angles of its static paths.
 *
 * Boundary: what is drawn is gathered in `picture-maps.ts`; the file format is the caller's.
 */
import { speedOfLightMps } from "../../math/speed-of-light.ts"
import type { DelayAngle } from "../../signal/delay-angle.ts"
import { createToneMap } from "../../signal/tone-map.ts"
import type { AmplitudeMap } from "../amplitude-map.ts"
import { channelText } from "../channel-text.ts"
import type { DopplerMap } from "../doppler-map.ts"
import { columnsMax, type Maps, type Paths } from "../picture-maps.ts"
import { type Canvas, capHeight, createCanvas, drawText, fillRectangle, outline, textLength, white } from "./canvas.ts"
import {
  colourRangeOf,
  drawAxisBelow,
  drawColourScale,
  drawTable,
  drawTicksLeft,
  drawTitleLeft,
  type Place,
  type Table,
  textScale,
} from "./heat-map.ts"
import { ticksBetween } from "./ticks.ts"

const left = 120
const right = 150
const width = left + columnsMax + right
const margin = 80
const amplitudePlace: Place = { x: left, y: 120, width: columnsMax, height: 420 }
const dopplerHeight = 280
const pathsHeight = 260
const pathsWidth = 430
const titleScale = 3

/** Strips lower than this have no room for ticks of their own. */
const stripHeightForTicks = 60
/** The colours cover the values between these quantiles; lower and higher ones have the colours of the ends. */
const shares = { low: 0.01, high: 0.995 }
/** The same for a spectrogram, most of which is noise: its darkest colour covers much of the noise. */
const dopplerShares = { low: 0.3, high: 0.998 }

const titleDistance = 105

/** The rows of one antenna pair, as a strip of the amplitude panel. */
const stripsOf = ({ link: { layout } }: AmplitudeMap, { height, width, x, y }: Place) => {
  const { receiveAntennas, subcarrierIndices, transmitAntennas } = layout
  const rows = receiveAntennas * transmitAntennas
  return Array.from({ length: rows }, (_, row) => {
    const top = y + Math.round(row * height / rows)
    const bottom = y + Math.round((row + 1) * height / rows)
    const separator = row === 0 ? 0 : 2
    return {
      first: row * subcarrierIndices.length,
      name: `rx${Math.floor(row / transmitAntennas) + 1}${
        transmitAntennas === 1 ? "" : ` tx${row % transmitAntennas + 1}`
      }`,
      place: { x, y: top + separator, width, height: bottom - top - separator },
    }
  })
}

/** Ticks nearer to the edge of a strip than this share of it would run into those of the next. */
const edgeShare = 0.06

/** Ticks of the subcarriers of one strip. The highest index is at the top. */
const subcarrierTicks = (subcarriers: Int16Array, wanted: number, alone: boolean) => {
  const ticks = ticksBetween(subcarriers[0]!, subcarriers.at(-1)!, wanted).map(({ label, value }) => {
    const nearest = subcarriers.reduce(
      (best, k, i) => Math.abs(k - value) < Math.abs(subcarriers[best]! - value) ? i : best,
      0,
    )
    return { label, share: (nearest + 0.5) / subcarriers.length }
  })
  return alone ? ticks : ticks.filter(({ share }) => share > edgeShare && share < 1 - edgeShare)
}

const drawAmplitude = (canvas: Canvas, map: AmplitudeMap): void => {
  const place = amplitudePlace
  const { subcarrierIndices: subcarriers } = map.link.layout
  const strips = stripsOf(map, place)
  const whole: Table = {
    columns: map.columns.count,
    rows: strips.length * subcarriers.length,
    at: (column, row) => map.decibelsAt(column, row),
  }
  // Invalid tones of a device must not widen the range of the colours.
  const used = createToneMap(map.link.layout).positions ?? subcarriers.map((_, i) => i)
  const range = colourRangeOf(
    {
      columns: whole.columns,
      rows: strips.length * used.length,
      at: (column, row) =>
        map.decibelsAt(column, Math.floor(row / used.length) * subcarriers.length + used[row % used.length]!),
    },
    shares,
    3,
  )
  for (const { first, name, place: strip } of strips) {
    const table = {
      ...whole,
      rows: subcarriers.length,
      at: (column: number, row: number) => map.decibelsAt(column, first + subcarriers.length - 1 - row),
    }
    drawTable(canvas, table, range, strip)
    if (strip.height >= stripHeightForTicks) {
      drawTicksLeft(canvas, strip, subcarrierTicks(subcarriers, place.height / strips.length / 45, strips.length === 1))
    }
    if (strips.length > 1) drawStripName(canvas, name, strip)
  }
  outline(canvas, place.x, place.y, place.width, place.height)
  drawTitleLeft(canvas, place, "subcarrier", titleDistance)
  drawColourScale(canvas, place, range, "|H| in dB")
}

/** Writes the antennas' names on the strip itself, on a ground that makes them readable. */
const drawStripName = (canvas: Canvas, name: string, { height, x, y }: Place): void => {
  const scale = height >= stripHeightForTicks / 3 ? textScale : 1
  fillRectangle(canvas, x + 4, y + 3, 6 * scale * name.length + 5, capHeight(scale) + 6, white)
  drawText(canvas, name, x + 7, y + 6, scale)
}

const drawDoppler = (canvas: Canvas, map: DopplerMap, place: Place): void => {
  const table: Table = {
    columns: map.columns.count,
    rows: map.bins,
    at: (column, row) => map.decibelsAt(column, map.bins - 1 - row),
  }
  const range = colourRangeOf(table, dopplerShares, 6)
  drawTable(canvas, table, range, place)
  outline(canvas, place.x, place.y, place.width, place.height)
  if (map.isEmpty) {
    const text = `Nowhere do packets come for the ${map.bins} samples in a row that a spectrogram needs.`
    drawText(canvas, text, place.x + 20, place.y + 20, textScale)
  } else drawColourScale(canvas, place, range, "dB to static")
  const ticks = ticksBetween(-map.frequencyMaxHz, map.frequencyMaxHz, 5)
  drawTicksLeft(
    canvas,
    place,
    ticks.map(({ label, value }) => ({ label, share: (value + map.frequencyMaxHz) / (2 * map.frequencyMaxHz) })),
  )
  drawTitleLeft(canvas, place, "Doppler in Hz", titleDistance)
}

/** The beginning of a text that fits into a width. */
const fitting = (text: string, scale: number, widthMax: number): string =>
  textLength(text, scale) <= widthMax
    ? text
    : `${text.slice(0, Math.floor(widthMax / (textLength("xx", scale) - textLength("x", scale))) - 3)}...`

const degrees = 180 / Math.PI
/** A path that is weaker than the strongest one by this many dB has the darkest colour. */
const pathRangeDb = 25

/** Draws a picture over delay, as the length of the way, and angle; powers in dB below the highest. */
const drawDelayAngle = (
  canvas: Canvas,
  { anglesRad, delaysS, power }: DelayAngle,
  place: Place,
  title: string,
): void => {
  const highest = power.reduce((most, value) => Math.max(most, value), 0)
  const angles = anglesRad.length
  const table: Table = {
    columns: delaysS.length,
    rows: angles,
    at: (delay, row) => 10 * Math.log10(power[delay * angles + angles - 1 - row]! / highest),
  }
  const range = { low: -pathRangeDb, high: 0 }
  drawTable(canvas, table, range, place)
  outline(canvas, place.x, place.y, place.width, place.height)
  drawText(canvas, title, place.x, place.y - 2 * capHeight(textScale), textScale)
  const [low, high] = [anglesRad[0]! * degrees, anglesRad.at(-1)! * degrees]
  const ticks = [-60, -30, 0, 30, 60].map((angle) => ({ label: String(angle), share: (angle - low) / (high - low) }))
  drawTicksLeft(canvas, place, ticks)
  drawColourScale(canvas, place, range, "dB")
  drawAxisBelow(canvas, place, delaysS[0]! * speedOfLightMps, delaysS.at(-1)! * speedOfLightMps, "longer way in m")
}

const drawPaths = (canvas: Canvas, { matched, music }: Paths, y: number): void => {
  const text = "Static paths. Their angles hold only once the antennas' phases are calibrated."
  drawText(canvas, text, left, y, textScale)
  const first: Place = { x: left, y: y + 70, width: pathsWidth, height: pathsHeight }
  drawTitleLeft(canvas, first, "angle in degrees", titleDistance)
  drawDelayAngle(canvas, matched, first, "matched field")
  drawDelayAngle(canvas, music, { ...first, x: first.x + columnsMax - pathsWidth }, "MUSIC")
}

/** Draws the picture; `title` says which capture it is. */
export const createPicture = (title: string, { amplitude, doppler, link, paths, span }: Maps): Canvas => {
  const dopplerY = amplitudePlace.y + amplitudePlace.height + margin - 20
  const pathsY = dopplerY + (doppler === null ? 60 : dopplerHeight + margin + 10)
  const canvas = createCanvas(width, paths === null ? pathsY - 20 : pathsY + 70 + pathsHeight + margin)
  const { receiveAntennas, transmitAntennas } = link.layout
  const about = `Link from ${link.transmitterId}: ${receiveAntennas} receiving x ${transmitAntennas} transmitting, ` +
    channelText(link.layout)
  drawText(canvas, fitting(title, titleScale, width - left - 20), left, 20, titleScale)
  drawText(canvas, fitting(about, textScale, columnsMax), left, 56, textScale)
  drawAmplitude(canvas, amplitude)
  if (paths !== null) drawPaths(canvas, paths, pathsY)
  if (doppler === null) {
    drawAxisBelow(canvas, amplitudePlace, 0, span.length, "frame")
    drawText(canvas, "No Doppler: the capture's frames carry no time.", left, dopplerY + 15, textScale)
    return canvas
  }
  drawAxisBelow(canvas, amplitudePlace, 0, span.length, "")
  const place: Place = { x: left, y: dopplerY, width: columnsMax, height: dopplerHeight }
  drawDoppler(canvas, doppler, place)
  drawAxisBelow(canvas, place, 0, span.length, "time in s")
  return canvas
}
