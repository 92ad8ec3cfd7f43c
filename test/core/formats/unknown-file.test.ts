import { describe, expect, it } from "vitest"
import { describeUnknownFile } from "../../../core/formats/unknown-file.ts"
import { bytesOf, utf16 } from "./esp32-lines.ts"

/** Bytes of a text of Latin-1, and zeros after them. */
const latin = (text: string, length = 300): Uint8Array => {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

const importing = /import its CSI.*NumPy \.npz.*docs\/sources\.md/
const unpack = /Unpack it first/

describe("a file of no known format", () => {
  it.each<[string, Uint8Array, string, RegExp]>([
    [
      "xlsx",
      latin("PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0bnh^\x01\0\0\x90\x04\0\0\x13\0\x08\x02[Content_Types].xml"),
      "an Excel workbook",
      importing,
    ],
    ["zip", latin("PK\x03\x04\x14\0\0\0\x08\0data.csv"), "a zip archive", unpack],
    ["gzip", latin("\x1f\x8b\x08\0"), "a gzip file", unpack],
    ["xz", latin("\xfd7zXZ\0"), "an xz file", unpack],
    ["tar", latin("data.csv".padEnd(257, "\0") + "ustar\x0000"), "a tar archive", unpack],
    ["npy", latin("\x93NUMPY\x01\0v\0{'descr': '<f4'"), "a single NumPy array (.npy)", /NumPy \.npz with its times/],
    [
      "MATLAB 7.3",
      latin("MATLAB 7.3 MAT-file, Platform: GLNXA64"),
      "a MATLAB 7.3 file",
      /save.* -v7.*docs\/sources\.md/,
    ],
    ["HDF5", latin("\x89HDF\r\n\x1a\n"), "an HDF5 file", importing],
    ["Parquet", latin("PAR1\x15\0"), "a Parquet file", importing],
    ["SQLite", latin("SQLite format 3\0\x10\0"), "an SQLite database", importing],
    ["pcap", latin("\xd4\xc3\xb2\xa1\x02\0\x04\0"), "a packet capture (pcap)", /monitor mode/],
    ["PNG", latin("\x89PNG\r\n\x1a\n"), "a PNG picture", /Name the recording/],
    [
      "other binary data",
      latin("\x40\0\xe2\x0b\0\x01\x02\x03"),
      "binary data of an unknown kind (first bytes 40 00 e2 0b 00 01 02 03)",
      /Name/,
    ],
  ])("%s", (_, bytes, what, advice) => {
    const message = describeUnknownFile(bytes)
    expect(message).toContain(`it is ${what}`)
    expect(message).toMatch(advice)
    expect(message).toMatch(/Known formats: .*ESP32.*Intel 5300.*Nexmon pcap.*\.npz, MATLAB \.mat\.$/)
  })

  it.each([
    ["time,rssi\n1,-40\n", "a csv with the columns time, rssi, but without records of a known ESP32 logger"],
    ["timestamp,raw_line\r\n", "a csv with the columns timestamp, raw_line,"],
    ['"time","a;b"\n1,"x,y"\n', "a csv with the columns time, a;b,"],
    [`Time${",x".repeat(6)}\n1${",2".repeat(6)}\n`, "a csv with the columns Time, x, x, x, x and 2 more,"],
    ["a;b\n1,0;2,0\n", "a csv with the columns a, b,"],
    ["# a comment, with a comma\n1,2,3\n4,5,6\n", "a csv with 3 columns without names,"],
    ['2025-03-11T14:22:17,"[1, 2]"\n2025-03-11T14:22:18,"[1, 2]"\n', "a csv with 2 columns without names,"],
    [
      `na\u001b[2Jme,${"x".repeat(99)}\n1,2\n`,
      `a csv with the columns na?[2Jme, ${"x".repeat(32)}…,`.replace("[", "?"),
    ],
    ["time,i0,q0\n1,2\n", "a csv with the columns time, i0, q0,"],
    ["bread, milk\n", "text without CSI records of a known form"],
    ["I (12) boot: ok\nI (13), wifi: up\n", "text without CSI records of a known form"],
    ["CSI_DATA,1,2,[3]\n", "text with CSI_DATA, but without the fields of"],
    ['{"mac": "7c:df:a1:08:e3:b2"}\n', "JSON without the fields"],
    ['\n[\n  {\n "start": 0', "JSON without the fields"],
  ])("text: %j", (text, what) => {
    expect(describeUnknownFile(bytesOf(text))).toContain(`it is ${what}`)
  })

  it("reads text of another encoding", () => {
    const bytes = bytesOf("import data # ?? and more words\n")
    bytes.set([0xc4, 0xe3], 14)
    expect(describeUnknownFile(bytes)).toContain("it is text")
    expect(describeUnknownFile(bytes.subarray(14, 16))).toContain("it is binary data")
  })

  it("reads UTF-16, and text that is cut within a letter", () => {
    for (const little of [true, false]) {
      expect(describeUnknownFile(utf16("\ufefftime,rssi\n1,-40\n", little))).toContain("the columns time, rssi,")
    }
    expect(describeUnknownFile(bytesOf("größe".repeat(3)).subarray(0, 3))).toContain("it is text")
  })
})
