import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { bytesOf, consoleLine, numberedBins, toolLine } from "./esp32-lines.ts"
import { joined } from "./damage.ts"
import { beamformingRecord, payloadRecord } from "./intel-records.ts"

const line = toolLine({ values: numberedBins(64) })
const record = beamformingRecord({ receive: 2, transmit: 1, value: () => [1, 2] })

describe("format of a capture", () => {
  it.each([
    ["a csv with its column names", bytesOf(`type,role,mac,CSI_DATA\n${line}\n`), "esp32-csi-tool"],
    ["a csv without them", bytesOf(`${line}\n`), "esp32-csi-tool"],
    ["a csv after noise of the console", bytesOf(`\r\nI (12) boot: ok\r\n${line}\r\n`), "esp32-csi-tool"],
    ["the console's csv", bytesOf(`${consoleLine(numberedBins(64), 1)}\n`), "esp32-csi-tool"],
    ["records", record, "intel5300"],
    ["records after a payload", joined(payloadRecord(30), record), "intel5300"],
    ["nothing", new Uint8Array(0), null],
    ["zeros", new Uint8Array(5000), null],
    ["other text", bytesOf("a,b,c\n1,2,[3]\n"), null],
    ["a payload alone", payloadRecord(30), null],
    ["half a record", record.subarray(0, 60), null],
  ])("%s", (_, bytes, format) => {
    expect(detectFormat(bytes)).toBe(format)
  })

  it.each([["esp32-csi-tool", bytesOf(`${line}\n`)], ["intel5300", record]] as const)(
    "makes its decoder: %s",
    (format, bytes) => {
      const decoder = createCaptureDecoder(format, { routerId: "r", source: "replay" })
      expect(decoder.push(bytes).batches).toMatchObject([{ frameCount: 1 }])
    },
  )
})
