/** 0 up to the first end, 1 from the second on, and linear between them. */
export const ramp = (value: number, [from, to]: readonly [from: number, to: number]): number =>
  Math.min(1, Math.max(0, (value - from) / (to - from)))
