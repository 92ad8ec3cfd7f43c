/**
 * Batches of the pose network: joins the persons of several rooms for one forward pass, and splits the outputs by room.
 */
import { tokenSize } from "./link-token.ts"
import { memorySize, outputLayout, type PoseInputs, type PoseOutputs } from "./network.ts"

const joined = (parts: ReadonlyArray<Float32Array>): Float32Array => {
  const out = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** Concatenates the persons of all parts, with room for as many tokens as the largest part has. */
export const joinInputs = (parts: ReadonlyArray<PoseInputs>): PoseInputs => {
  if (parts.length === 1) return parts[0]!
  const tokensEach = Math.max(...parts.map((part) => part.tokensEach))
  const persons = parts.reduce((sum, part) => sum + part.persons, 0)
  const tokens = new Float32Array(persons * tokensEach * tokenSize)
  const mask = new Float32Array(persons * tokensEach)
  let row = 0
  for (const part of parts) {
    for (let person = 0; person < part.persons; person++, row++) {
      const from = person * part.tokensEach
      tokens.set(
        part.tokens.subarray(from * tokenSize, (from + part.tokensEach) * tokenSize),
        row * tokensEach * tokenSize,
      )
      mask.set(part.mask.subarray(from, from + part.tokensEach), row * tokensEach)
    }
  }
  return {
    persons,
    tokensEach,
    tokens,
    mask,
    tracks: joined(parts.map(({ tracks }) => tracks)),
    memory: joined(parts.map(({ memory }) => memory)),
  }
}

/** The outputs of each part, given its number of persons. */
export const splitOutputs = (
  { memory, values }: PoseOutputs,
  persons: ReadonlyArray<number>,
): ReadonlyArray<PoseOutputs> => {
  let first = 0
  return persons.map((count) => {
    const [from, to] = [first, first += count]
    return {
      values: values.slice(from * outputLayout.size, to * outputLayout.size),
      memory: memory.slice(from * memorySize, to * memorySize),
    }
  })
}
