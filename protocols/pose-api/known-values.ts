/** Sums, means and maxima of the values that are known; null where none is. */

const present = (values: ReadonlyArray<number | null>): ReadonlyArray<number> =>
  values.filter((value) => value !== null)

export const sumOrNull = (values: ReadonlyArray<number | null>): number | null => {
  const known = present(values)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

export const meanOrNull = (values: ReadonlyArray<number | null>): number | null => {
  const sum = sumOrNull(values)
  return sum === null ? null : sum / present(values).length
}

export const maxOrNull = (values: ReadonlyArray<number | null>): number | null => {
  const known = present(values)
  return known.length === 0 ? null : Math.max(...known)
}
