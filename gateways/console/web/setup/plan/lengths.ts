/** Lengths as people type and read them. Pure; the service has metres only. */

const metresPerFoot = 0.3048
const metresPerInch = 0.0254

/** Steps of a drag and of a key, metres; Shift takes the large one. */
export const stepM = 0.05
export const largeStepM = 0.5

const feetPattern = /^(\d+(?:\.\d+)?)\s*(?:ft|feet|')\s*(?:(\d+(?:\.\d+)?)\s*(?:in|")?)?$/i
const metresPattern = /^(-?\d+(?:[.,]\d+)?)\s*(m|cm)?$/i

/** Metres of `3.2`, `3.2 m`, `320 cm`, `10 ft`, `10'6"`; null if it cannot be read. */
export const lengthM = (text: string): number | null => {
  const trimmed = text.trim()
  const feet = feetPattern.exec(trimmed)
  if (feet !== null) return Number(feet[1]) * metresPerFoot + Number(feet[2] ?? 0) * metresPerInch
  const metres = metresPattern.exec(trimmed)
  if (metres === null) return null
  return Number(metres[1]!.replace(",", ".")) * (metres[2]?.toLowerCase() === "cm" ? 0.01 : 1)
}

/** The multiple of the step that is nearest. */
export const snapped = (valueM: number): number => Math.round(valueM / stepM) * stepM

/** Metres with centimetres, without zeros at the end. */
export const lengthText = (valueM: number): string => String(Number(valueM.toFixed(2)))

export const clamped = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))
