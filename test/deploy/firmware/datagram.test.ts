/** The datagrams of the firmware, compiled for this machine, as the service reads them. */
import { execFileSync, spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { decodeRuviewDatagram } from "../../../core/formats/ruview-datagram.ts"
import { readSigned, signatureBytes } from "../../../core/identity/signed-datagram.ts"
import { isSignedBy } from "../../../gateways/datagrams/signature.ts"

const hasCompiler = spawnSync("cc", ["--version"]).status === 0
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const keyHex = "0123456789abcdef".repeat(4)
const key = `wpk-42-${keyHex}`

describe.skipIf(!hasCompiler)("the firmware", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavepose-firmware-"))
  const program = join(folder, "host")
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  beforeAll(() => {
    const sources = "../../../deploy/firmware/main"
    const flags = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", `-I${at(sources)}`]
    execFileSync("cc", [...flags, at("host.c"), at(`${sources}/wavepose_datagram.c`), "-o", program])
  })

  /** The signed part of a datagram, and the key, as the program writes them. */
  const run = (text: string, secondary: number, { invalidWord = 0, numbers = 128, oneField = 0 } = {}) => {
    const args = [text, ...[secondary, invalidWord, numbers, oneField].map(String)]
    const { status, stdout } = spawnSync(program, args, { encoding: "utf8" })
    const [signedPart = "", keyBytes = ""] = stdout.split("\n").map((line) => line.trim())
    return { status, signedPart: Buffer.from(signedPart, "hex"), keyBytes: Buffer.from(keyBytes, "hex") }
  }

  it.each(
    [
      [0, "centre-first", 128, 0],
      [1, "ascending", 128, 0],
      [2, "ascending", 384, 0],
      [0, "centre-first", 114, 1],
      [1, "ascending", 114, 1],
      [0, "centre-first", 128, 1],
    ] as const,
  )(
    "states secondary channel %i, whose order of bins is %s, for a buffer of %i numbers, with one field: %i",
    (secondary, binOrder, numbers, oneField) => {
      const { keyBytes, signedPart } = run(key, secondary, { numbers, oneField })
      const hmac = createHmac("sha256", keyBytes).update(signedPart).digest().subarray(0, signatureBytes)
      const signed = readSigned(Buffer.concat([signedPart, hmac]))!
      expect(signed).toMatchObject({ keyNumber: 42, epoch: 9, sequence: 4_000_000_000 })
      expect(isSignedBy(Buffer.from(keyHex, "hex"), signed)).toBe(true)
      const decoded = decodeRuviewDatagram(signed.datagram, 1e15)
      if (!("frame" in decoded)) throw new Error(JSON.stringify(decoded))
      const { frame, routerId } = decoded
      expect(decoded.binOrder).toBe(binOrder)
      expect(routerId).toBe("node-7")
      expect(frame).toMatchObject({ sequence: 1_234_567, rssiDbm: -51, noiseFloorDbm: -93 })
      expect(frame.layout.centerFrequencyHz).toBe(2_437e6)
      // Subcarrier k carries k as one part and 40 as the other.
      const { subcarrierIndices } = frame.layout
      const parts = Array.from(subcarrierIndices, (_, i) => [frame.csi[2 * i], frame.csi[2 * i + 1]])
      for (const [i, k] of subcarrierIndices.entries()) {
        if (k !== 0 && Math.abs(k) <= 26) expect(parts[i], `subcarrier ${k}`).toEqual([40, k])
      }
    },
  )

  it("clears the word that the chip marks as invalid", () => {
    expect(run(key, 0, { invalidWord: 1 }).signedPart.subarray(20, 24)).toEqual(Buffer.alloc(4))
    expect(run(key, 0).signedPart.subarray(22, 24)).toEqual(Buffer.from([1, 40]))
    // Of a field without guards it is that of -28 and -27, whose places are 4 and 5.
    const ascending = { numbers: 114, oneField: 1 }
    expect(run(key, 1, ascending).signedPart.subarray(32, 34)).toEqual(Buffer.from([0xe6, 40]))
    expect(run(key, 1, { ...ascending, invalidWord: 1 }).signedPart.subarray(20, 32)).toEqual(Buffer.alloc(12))
  })

  it.each([[106, 1], [234, 1], [256, 1], [490, 1], [106, 0], [127, 0]])(
    "rejects a buffer of %i numbers, with one field: %i",
    (numbers, oneField) => expect(run(key, 0, { numbers, oneField }).status).toBe(3),
  )

  it.each([
    "",
    "wpk-",
    `wpk--${keyHex}`,
    `wpk-4294967296-${keyHex}`,
    key.slice(0, -1),
    `${key}0`,
    key.replace("f", "g"),
  ])(
    "rejects the key %j",
    (text) => expect(run(text, 0).status).toBe(2),
  )
})
