/**
 * MATLAB files with CSI: the packets of the Linux 802.11n CSI Tool (`intel5300-trace.ts`), or the arrays of the neutral container
 * (`csi-arrays.ts`) as variables.
 *
 * Packets are found by their fields, because users give the variable any name. They go before arrays that have no `timestamp_s`, which
 * may be made of them.
 */
import { arrayNames, contentOf, type CsiArrays, deliver, timesName, timesNamesIn } from "./csi-arrays.ts"
import { isIntel5300Trace, readIntel5300Trace } from "./intel5300-trace.ts"
import { type MatArray, type MatVariable, matVariables, numbersOf } from "./mat-file.ts"
import type { NumberArray } from "./number-array.ts"
import type { Refusal } from "./record-stream.ts"
import type { FileContent, FileReader, GivenRate } from "./whole-file.ts"

const bad = (message: string): Refusal => ({ reason: "bad-field", message })

const magic = "MATLAB 5.0 MAT-file"
/** Position and text of the byte order. */
const orderAt = 126
const littleEndian = "IM"

/** Maximum number of listed variables of a file without CSI, and of letters of each. */
const namesMax = 8
const lettersMax = 32

const begins = (bytes: Uint8Array, at: number, text: string): boolean =>
  bytes.length >= at + text.length && Array.from(text).every((letter, i) => bytes[at + i] === letter.charCodeAt(0))

/** Whether a capture begins as a MATLAB file of level 5. Files of level 7.3 are HDF5. */
export const looksLikeMat = (head: Uint8Array): boolean => begins(head, 0, magic)

/** Reads a file. */
export const readMat: FileReader = (file, out, rate) => {
  if (!begins(file, orderAt, littleEndian)) {
    out.fault(0, {
      reason: "unsupported-layout",
      message: "the file is cut, or its numbers are big-endian. Save it again with -v7",
    })
    return null
  }
  const { damage, variables } = matVariables(file)
  if (damage !== null) out.fault(0, damage)
  const csi = variables.find(({ kind, name }) => name === "csi" && kind === "numbers")
  if (csi === undefined || variables.every(({ name }) => name !== timesName)) {
    const { isReadable, traces } = tracesIn(variables, out)
    if (traces.length > 0) return readTrace(traces, out)
    if (csi === undefined) {
      if (damage === null && isReadable) out.fault(0, foreign(variables))
      return null
    }
  }
  readArrays(csi, variables, rate, out)
  return null
}

type Trace = MatVariable & { readonly array: MatArray }

/** The variables with packets. `isReadable` is false if there may be more. */
const tracesIn = (
  variables: ReadonlyArray<MatVariable>,
  out: FileContent,
): { readonly traces: ReadonlyArray<Trace>; readonly isReadable: boolean } => {
  const traces: Array<Trace> = []
  let isReadable = true
  for (const variable of variables) {
    const array = variable.kind === "cells" ? variable.open() : null
    if (array === null) continue
    if ("reason" in array) {
      out.fault(variable.offset, array)
      isReadable = false
    } else if (isIntel5300Trace(array)) traces.push({ ...variable, array })
  }
  return { traces, isReadable }
}

/** Reads the packets of the only variable with such. */
const readTrace = (traces: ReadonlyArray<Trace>, out: FileContent): string | null => {
  if (traces.length > 1) {
    out.fault(0, bad(`several variables have packets: ${listed(traces)}. Save one of them`))
    return null
  }
  readIntel5300Trace(traces[0]!.array, traces[0]!.offset, out)
  return "Intel 5300"
}

/** Reads the arrays of the neutral container. */
const readArrays = (
  csi: MatVariable,
  variables: ReadonlyArray<MatVariable>,
  rate: GivenRate,
  out: FileContent,
): void => {
  const read = (variable: MatVariable): NumberArray | Refusal => {
    const array = variable.open()
    return "reason" in array ? array : numbersOf(array)
  }
  const list = (variable: MatVariable): NumberArray | Refusal => {
    const array = read(variable)
    return "reason" in array ? array : asList(array)
  }
  const named = (name: string, as: typeof read): NumberArray | Refusal | null => {
    const variable = variables.find((one) => one.name === name)
    return variable === undefined ? null : as(variable)
  }
  const arrays = {
    csi: read(csi),
    indices: named("subcarrier_index", list),
    bandwidth: named("bandwidth_hz", read),
    center: named("center_frequency_hz", read),
  }
  const refusal = Object.values(arrays).find((array) => array !== null && "reason" in array) as Refusal | undefined
  const times = timesNamesIn(variables.map(({ name }) => name)).map((name) => ({ name, array: named(name, list)! }))
  const content = refusal ??
    contentOf({ ...arrays, times } as CsiArrays, "mat", rate, () => ({ offset: csi.offset, frameBytes: 0 }))
  if ("reason" in content) out.fault(csi.offset, content)
  else deliver(content, out)
}

/** A row or a column of a matrix as a list; another array as it is. */
const asList = (array: NumberArray): NumberArray => {
  const { shape } = array
  return shape.length === 2 && shape.includes(1) ? { ...array, shape: [shape[0]! * shape[1]!] } : array
}

/** Names and sizes of variables; those of objects have none. */
const listed = (variables: ReadonlyArray<MatVariable>): string => {
  const named = variables.filter(({ name }) => name !== "")
  const names = named.slice(0, namesMax).map(({ name, shape }) =>
    `${name.replace(/[^\w.-]/g, "?").slice(0, lettersMax)} (${shape.join(" x ")})`
  )
  return `${names.join(", ")}${named.length > namesMax ? " and others" : ""}`
}

/** A file without known variables. */
const foreign = (variables: ReadonlyArray<MatVariable>): Refusal => {
  const names = listed(variables)
  return bad(
    `the file has ${
      names === "" ? "no variables" : `only ${names}`
    }. Supported are the packets of read_bf_file of the ` +
      `Linux 802.11n CSI Tool, and the variables ${arrayNames}, which docs/sources.md describes`,
  )
}
