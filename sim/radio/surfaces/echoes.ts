/**
 * The echoes of all pieces on one link: direct, and with one bounce off a surface before or after the body.
 *
 * Other than the product of legs of the first model, the weight of a piece depends on both directions together, because a surface
 * reflects into the direction of its normal.
 */
import type { Field } from "../field.ts"
import type { Tones } from "../tones.ts"
import type { Bodies } from "./bodies.ts"
import type { Legs } from "./legs.ts"
import { opticsStride, writeWeight } from "./physical-optics.ts"

/** Contributions this far below the empty response (in amplitude, -55 dB) are below any receiver's noise. */
const negligible = 1.8e-3

const weight = new Float64Array(2)

/** Adds one contribution to all antennas and tones. */
const addContribution = (
  { elements, phases, pieces }: Legs,
  tones: Tones,
  field: Field,
  fromPhase: number,
  toRow: number,
  piece: number,
  re: number,
  im: number,
): void => {
  const count = tones.indices.length
  const pRe = phases[fromPhase]!, pIm = phases[fromPhase + 1]!
  const sRe = phases[fromPhase + 2]!, sIm = phases[fromPhase + 3]!
  const baseRe = re * pRe - im * pIm
  const baseIm = re * pIm + im * pRe
  for (let a = 0; a < field.antennas; a++) {
    const to = 4 * ((toRow * elements + a) * pieces + piece)
    let zRe = baseRe * phases[to]! - baseIm * phases[to + 1]!
    let zIm = baseRe * phases[to + 1]! + baseIm * phases[to]!
    const tRe = sRe * phases[to + 2]! - sIm * phases[to + 3]!
    const tIm = sRe * phases[to + 3]! + sIm * phases[to + 2]!
    for (let run = 0; run < tones.runs.length; run++) {
      const { length, start, stepsBefore } = tones.runs[run]!
      const row = a * count + start
      for (let i = row - Math.max(0, stepsBefore - 1); i < row + length; i++) {
        if (i >= row) {
          field.re[i]! += zRe
          field.im[i]! += zIm
        }
        const next = zRe * tRe - zIm * tIm
        zIm = zRe * tIm + zIm * tRe
        zRe = next
      }
    }
  }
}

/**
 * Adds the echoes of a directed link to `field`.
 *
 * @param middle element of the transmitting node that transmits
 * @param level amplitude of the empty response
 */
export const addEchoes = (
  legs: Legs,
  bodies: Bodies,
  tones: Tones,
  field: Field,
  transmitter: number,
  receiver: number,
  middle: number,
  level: number,
  k: number,
): void => {
  const { directions, elements, im, images, pieces, re } = legs
  const least = (negligible * level) ** 2
  // Pairs of images of which at most one is a reflection.
  for (let pair = 0; pair < 2 * images - 1; pair++) {
    const i = transmitter * images + (pair < images ? pair : 0)
    const j = receiver * images + (pair < images ? 0 : pair - images + 1)
    for (let piece = 0; piece < pieces; piece++) {
      const a = i * pieces + piece
      const b = j * pieces + piece
      const aRe = re[a]!, aIm = im[a]!, bRe = re[b]!, bIm = im[b]!
      writeWeight(
        bodies.pieces,
        piece * opticsStride,
        directions[3 * a]!,
        directions[3 * a + 1]!,
        directions[3 * a + 2]!,
        directions[3 * b]!,
        directions[3 * b + 1]!,
        directions[3 * b + 2]!,
        k,
        weight,
      )
      const legRe = aRe * bRe - aIm * bIm
      const legIm = aRe * bIm + aIm * bRe
      const gRe = legRe * weight[0]! - legIm * weight[1]!
      const gIm = legRe * weight[1]! + legIm * weight[0]!
      if (gRe * gRe + gIm * gIm < least) continue
      addContribution(legs, tones, field, 4 * ((i * elements + middle) * pieces + piece), j, piece, gRe, gIm)
    }
  }
}
