/**
 * MATLAB files with CSI: the packets of the Linux 802.11n CSI Tool (`intel5300-trace.ts`), or the arrays of the neutral container
 * (`csi-arrays.ts`) as variables.
 *
 * Packets are found by their fields, because users give the variable any name. Arrays without times are not read: nothing in such a file
 * states the rate or which dimension is which.
 */
import { arrayNames, contentOf, type CsiArrays, deliver } from "./csi-arrays.ts"
import { isIntel5300Trace, readIntel5300Trace } from "./intel5300-trace.ts"
import { type MatArray, type MatVariable, matVariables, numbersOf } from "./mat-file.ts"
import type { NumberArray } from "./number-array.ts"
import type { Refusal } from "./record-stream.ts"
import type { FileContent } from "./whole-file.ts"

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
export const readMat = (file: Uint8Array, out: FileContent): string | null => {
  if (!begins(file, orderAt, littleEndian)) {
    out.fault(0, {
      reason: "unsupported-layout",
      message: "the file is cut, or its numbers are big-endian. Save it again with -v7",
    })
    return null
  }
  const { damage, variables } = matVariables(file)
  if (damage !== null) out.fault(0, damage)
  const named = (name: string): MatVariable | undefined => variables.find((variable) => variable.name === name)
  const csi = named("csi")
  const times = named("timestamp_s")
  if (csi?.kind === "numbers" && times !== undefined) {
    readArrays(csi, times, named, out)
    return null
  }
  return readTrace(variables, damage === null, out)
}

/** Reads the packets of the only variable with such. `isWhole` is whether all variables were found. */
const readTrace = (variables: ReadonlyArray<MatVariable>, isWhole: boolean, out: FileContent): string | null => {
  const traces: Array<MatVariable & { readonly array: MatArray }> = []
  let isReadable = isWhole
  for (const variable of variables) {
    const array = variable.kind === "cells" ? variable.open() : null
    if (array === null) continue
    if ("reason" in array) {
      out.fault(variable.offset, array)
      isReadable = false
    } else if (isIntel5300Trace(array)) traces.push({ ...variable, array })
  }
  const [trace] = traces
  if (trace === undefined && isReadable) out.fault(0, foreign(variables))
  if (traces.length > 1) out.fault(0, bad(`several variables have packets: ${listed(traces)}. Save one of them`))
  if (trace === undefined || traces.length > 1) return null
  readIntel5300Trace(trace.array, trace.offset, out)
  return "Intel 5300"
}

/** Reads the arrays of the neutral container. */
const readArrays = (
  csi: MatVariable,
  times: MatVariable,
  named: (name: string) => MatVariable | undefined,
  out: FileContent,
): void => {
  const read = (variable: MatVariable | undefined): NumberArray | Refusal | null => {
    if (variable === undefined) return null
    const array = variable.open()
    return "reason" in array ? array : numbersOf(array)
  }
  const list = (array: NumberArray | Refusal | null): NumberArray | Refusal | null =>
    array === null || "reason" in array ? array : asList(array)
  const arrays = {
    csi: read(csi),
    times: list(read(times)),
    indices: list(read(named("subcarrier_index"))),
    bandwidth: read(named("bandwidth_hz")),
    center: read(named("center_frequency_hz")),
  }
  const refusal = Object.values(arrays).find((array) => array !== null && "reason" in array)
  const content = (refusal as Refusal | undefined) ??
    contentOf(arrays as CsiArrays, "mat", () => ({ offset: csi.offset, frameBytes: 0 }))
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
