/**
 * ULIDs, as contexts are named: 48 bits of time and 80 of chance in Crockford's base 32. They are names, not secrets.
 */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** `length` digits of a whole number below 2^53. */
const digitsOf = (value: number, length: number): string => {
  let text = ""
  for (let i = 0, rest = value; i < length; i++, rest = Math.floor(rest / 32)) text = digits[rest % 32] + text
  return text
}

/** A ULID of the epoch milliseconds `nowMs`; `random` answers numbers in 0..1, 1 excluded. */
export const ulid = (nowMs: number, random: () => number): string => {
  const half = () => digitsOf(Math.floor(random() * 2 ** 40), 8)
  return digitsOf(Math.floor(nowMs), 10) + half() + half()
}
