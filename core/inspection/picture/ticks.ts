/** Ticks of an axis: round numbers, and their labels. */

export interface Tick {
  readonly value: number
  readonly label: string
}

/** Steps that read well, in their decade. */
const roundSteps = [1, 2, 5, 10]

/** Ticks at round numbers from `low` to `high`, about `wanted` of them and at least one step apart; none in an empty range. */
export const ticksBetween = (low: number, high: number, wanted: number): ReadonlyArray<Tick> => {
  if (!(high > low) || !Number.isFinite(high - low)) return []
  const rough = (high - low) / Math.max(1, wanted)
  const decade = 10 ** Math.floor(Math.log10(rough))
  const step = decade * roundSteps.find((round) => round * decade >= 0.999 * rough)!
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const value = (first + i) * step
    return { value, label: value === 0 ? "0" : value.toFixed(decimals) }
  })
}
