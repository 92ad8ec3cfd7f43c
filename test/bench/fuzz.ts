/**
 * Fuzz: a million foreign inputs for every decoder, from the generators of the fuzz test.
 *
 *     npm run bench:fuzz -- [inputs] [decoder ...]
 *
 * Every input is right, damaged or noise, and is checked as the test checks it: no throw, no byte read past the end, whole frames,
 * bounded output, the same however the bytes arrive. A failure prints the input and ends the run. Writes `results/fuzz.json`.
 */
import fc from "fast-check"
import { families, type Family } from "../core/formats/foreign-bytes.ts"
import { machine, rounded, writeResults } from "./harness.ts"

const [inputsText = "1000000", ...names] = process.argv.slice(2)
const inputsMax = Number(inputsText)
const chunkInputs = 1000

interface Result {
  readonly inputs: number
  readonly inputsPerSecond: number
  readonly bytes: number
  readonly frames: number
  readonly faults: number
}

const fuzz = ({ check, inputs, name }: Family): Result => {
  const cases = fc.tuple(inputs, fc.nat(5000))
  const began = performance.now()
  const sums = { inputs: 0, bytes: 0, frames: 0, faults: 0 }
  for (let seed = 0; sums.inputs < inputsMax; seed++) {
    for (const [bytes, cut] of fc.sample(cases, { numRuns: Math.min(chunkInputs, inputsMax - sums.inputs), seed })) {
      try {
        const { faults, frames } = check(bytes, cut)
        sums.frames += frames
        sums.faults += faults
      } catch (error) {
        console.error(`${name}, seed ${seed}, cut ${cut}: ${bytes.toHex()}`)
        throw error
      }
      sums.inputs++
      sums.bytes += bytes.length
    }
  }
  return { ...sums, inputsPerSecond: rounded(sums.inputs / ((performance.now() - began) / 1000)) }
}

const results: Record<string, Result> = {}
for (const family of families.filter(({ name }) => names.length === 0 || names.includes(name))) {
  results[family.name] = fuzz(family)
  console.log(family.name, JSON.stringify(results[family.name]))
}
if (names.length === 0) writeResults("fuzz", { machine, families: results })
