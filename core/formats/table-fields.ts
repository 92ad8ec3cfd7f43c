/** The fields of one line of a csv table, and the numbers of a list or of bytes in one of them. */

const quote = '"'
const opening = "[("
const closing = "])"

/** The fields of a line. A separator within quotes or brackets separates nothing. */
export const fieldsOf = (line: string, separator: string): ReadonlyArray<string> => {
  const fields: Array<string> = []
  let from = 0
  let isQuoted = false
  let depth = 0
  for (let at = 0; at < line.length; at++) {
    const letter = line[at]!
    if (letter === quote) isQuoted = !isQuoted
    else if (opening.includes(letter)) depth++
    else if (closing.includes(letter)) depth = Math.max(0, depth - 1)
    else if (letter === separator && !isQuoted && depth === 0) {
      fields.push(line.slice(from, at))
      from = at + 1
    }
  }
  fields.push(line.slice(from))
  return fields.map((field) => field.trim().replace(/^"+|"+$/g, ""))
}

const number = /^-?\d+(\.\d*)?(e[+-]?\d+)?$/i

/** The number of a text; NaN if it is none. */
export const numberOf = (text: string | undefined): number =>
  text !== undefined && number.test(text) ? Number(text) : NaN

/** The numbers of a list, which commas or spaces separate, in brackets or not. */
export const listOf = (text: string): ReadonlyArray<number> => {
  const content = text.replace(/^[\s[("]+|[\s\])"]+$/g, "")
  return content === "" ? [] : content.split(/[\s,;]+/).map(numberOf)
}

const isHex = (text: string): boolean => /^([0-9a-f]{2})*$/i.test(text)

/** The signed bytes of a text in hexadecimal; NaN if it is none. */
export const hexBytesOf = (text: string): ReadonlyArray<number> =>
  isHex(text)
    ? Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16) << 24 >> 24)
    : [NaN]

/** Fewest letters of packed bytes: those of 30 pairs in base64. */
const packedLettersMin = 80

/** Whether a text is bytes in base64 or in hexadecimal, and no list of numbers. */
export const isPacked = (text: string): boolean =>
  text.length >= packedLettersMin && (isHex(text) || (text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)))

/** The signed bytes of a packed text. */
export const packedBytesOf = (text: string): ReadonlyArray<number> =>
  isHex(text) ? hexBytesOf(text) : Array.from(atob(text), (letter) => letter.charCodeAt(0) << 24 >> 24)

const part = String.raw`\d+(?:\.\d*)?(?:e[+-]?\d+)?`
const complexNumber = new RegExp(`^\\((-?${part})([+-]${part})j\\)$`, "i")
const imaginaryNumber = new RegExp(`^(-?${part})j$`, "i")

/** The complex number of a text as Python writes it; NaN if it is none. */
const complexOf = (text: string): readonly [re: number, im: number] => {
  const whole = complexNumber.exec(text)
  if (whole !== null) return [Number(whole[1]), Number(whole[2])]
  const imaginary = imaginaryNumber.exec(text)
  return imaginary === null ? [NaN, NaN] : [0, Number(imaginary[1])]
}

/** The interleaved (re, im) of complex numbers, without the empty texts at the end. */
export const complexNumbersOf = (texts: ReadonlyArray<string>): ReadonlyArray<number> =>
  texts.slice(0, texts.findLastIndex((text) => text !== "") + 1).flatMap(complexOf)
