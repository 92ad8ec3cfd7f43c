import { describe, expect, it } from "vitest"
import { createCaptureDecoder, detectFormat } from "../../../core/formats/detect-format.ts"
import { bytesOf, consoleLine, heConsoleLine, numberedBins, selectedLine, toolLine } from "./esp32-lines.ts"
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

  const shared =
    "mac,rssi,rate,sig_mode,mcs,bandwidth,smoothing,not_sounding,aggregation,stbc,fec_coding,sgi,noise_floor," +
    "ampdu_cnt,channel,secondary_channel,local_timestamp,ant,sig_len,rx_state"

  it.each([
    ["ESP32-CSI-Tool", `type,role,${shared},real_time_set,real_timestamp,len,CSI_DATA`, line],
    ["the console", `type,id,${shared},len,first_word,data`, consoleLine(numberedBins(128), 1)],
    [
      "the console of chips with Wi-Fi 6",
      "type,id,mac,rssi,rate,noise_floor,fft_gain,agc_gain,channel,local_timestamp,sig_len,rx_state,len,first_word,data",
      heConsoleLine(numberedBins(128)),
    ],
    [
      "console_test",
      `type,seq,timestamp,taget_seq,taget,${shared},agc_gain,fft_gain,len,first_word_invalid,data`,
      selectedLine(numberedBins(52)),
    ],
    [
      "console_test without gains",
      `type,seq,timestamp,taget_seq,taget,${shared},len,first_word_invalid,data`,
      selectedLine(numberedBins(52)).replace(",172,4,", ","),
    ],
    ["a tool whose names are not those of its records", `type,role,${shared},CSI_DATA,timestamp`, line],
  ])(
    "is not mistaken in any first part of a serial log that begins with the names of columns: %s",
    (_, header, record) => {
      const bytes = bytesOf(
        `${header}\r\nI (12) wifi: up\r\nCSI_DATA,AP,24:0A:C4:6:0F:08,${record.slice(30)}\r\n${record}\r\n`,
      )
      for (let end = 0; end < bytes.length; end++) {
        expect([null, "esp32-csi-tool"]).toContain(detectFormat(bytes.subarray(0, end)))
      }
      expect(detectFormat(bytes)).toBe("esp32-csi-tool")
    },
  )

  it.each([["esp32-csi-tool", bytesOf(`${line}\n`)], ["intel5300", record]] as const)(
    "makes its decoder: %s",
    (format, bytes) => {
      const decoder = createCaptureDecoder(format, { routerId: "r", source: "replay" })
      expect(decoder.push(bytes).batches).toMatchObject([{ frameCount: 1 }])
    },
  )
})
