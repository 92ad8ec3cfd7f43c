/**
 * Agreement of a person's links on velocities: the layer of the pose network with physics instead of weights.
 *
 * The path over a body shortens at v . (u_tx + u_rx), so a link's Doppler spectrum at that rate measures its agreement
 * with the velocity v; the body's velocity is the one that most links agree on (`core/imaging/velocity.ts`). The layer
 * evaluates velocities around the tracked one. A walker's trunk sways towards the supporting foot, once per stride. So
 * the lateral velocity distinguishes left from right steps, which the spectra of the limbs do not, because both legs
 * look the same.
 *
 * Boundary: spectra and directions are read from tokens (`link-token.ts`). `sim/training/model.py` mirrors this file.
 */
import { spectra, spectrumPower } from "./link-spectrum.ts"
import { tokenShorteningAt, tokenSize } from "./link-token.ts"

/**
 * Evaluated velocities, as offsets from the tracked one along each axis, m/s: enough for a stride and for a track's
 * error.
 */
const forward = { steps: 5, stepMps: 0.25 } as const
const left = { steps: 13, stepMps: 0.12 } as const

/** Number of values per person. */
export const agreementSize = forward.steps * left.steps

/** Mean and standard deviation over training data, which normalise the layer's output. */
const usual = { mean: 1.4, sigma: 0.45 } as const

const [{ reach, stepMps }] = spectra
const bins = 2 * reach + 1

/**
 * Evidence of one link's spectrum in each of its bins: ln(1 + power over its mean), so that many agreeing links
 * outweigh one strong line.
 */
const writeEvidence = (tokens: Float32Array, token: number, out: Float64Array): void => {
  let mean = 0
  for (let bin = 0; bin < bins; bin++) mean += (out[bin] = spectrumPower(tokens[token + bin]!)) / bins
  for (let bin = 0; bin < bins; bin++) out[bin] = Math.log1p(out[bin]! / mean)
}

/** Adds a link's evidence for the velocities around (`vx`, `vy`), interpolated linearly between bins. */
const addEvidence = (
  evidence: Float64Array,
  gx: number,
  gy: number,
  vx: number,
  vy: number,
  sums: Float64Array,
): void => {
  for (let f = 0, velocity = 0; f < forward.steps; f++) {
    const along = gx * (vx + forward.stepMps * (f - (forward.steps - 1) / 2))
    for (let l = 0; l < left.steps; l++, velocity++) {
      const aside = gy * (vy + left.stepMps * (l - (left.steps - 1) / 2))
      const place = (along + aside) / stepMps + reach
      const low = Math.max(0, Math.min(bins - 2, Math.floor(place)))
      const part = Math.max(0, Math.min(1, place - low))
      sums[velocity]! += evidence[low]! + part * (evidence[low + 1]! - evidence[low]!)
    }
  }
}

/**
 * The agreement on each velocity, [person][forward][left], scaled: the mean of the evidence over a person's links.
 *
 * @param tokens [person][token][tokenSize]
 * @param mask [person][token]: 1 where there is a token
 * @param tracks [person][value], the tracked velocity forward and to the left first
 */
export const velocityAgreement = (
  { mask, persons, tokens, tokensEach, tracks }: {
    readonly persons: number
    readonly tokensEach: number
    readonly tokens: Float32Array
    readonly mask: Float32Array
    readonly tracks: Float32Array
  },
): Float32Array => {
  const out = new Float32Array(persons * agreementSize)
  const evidence = new Float64Array(bins)
  const sums = new Float64Array(agreementSize)
  const trackSize = tracks.length / persons
  for (let person = 0; person < persons; person++) {
    sums.fill(0)
    let present = 0
    for (let row = person * tokensEach; row < (person + 1) * tokensEach; row++) {
      if (mask[row] === 0) continue
      present++
      const token = row * tokenSize
      const shortening = token + tokenShorteningAt
      writeEvidence(tokens, token, evidence)
      const track = person * trackSize
      addEvidence(evidence, tokens[shortening]!, tokens[shortening + 1]!, tracks[track]!, tracks[track + 1]!, sums)
    }
    for (let velocity = 0; velocity < agreementSize; velocity++) {
      out[person * agreementSize + velocity] = (sums[velocity]! / Math.max(1, present) - usual.mean) / usual.sigma
    }
  }
  return out
}
