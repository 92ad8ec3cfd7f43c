import { describe, expect, it } from "vitest"
import { parseLabels } from "../../../../deploy/eval/recordings/labels.ts"
import { publicLabelOf } from "../../../../deploy/eval/recordings/public-labels.ts"

const head = "file,room,link,state,from_s,until_s,breathing_per_minute"

describe("labels of recordings", () => {
  it("have spans, a room, a link and a rate, and match the end of a path", () => {
    const labelOf = parseLabels(
      `${head}\nnight.csv,kitchen,a-b,empty,,,\nvisit.csv,kitchen,a-b,moving,12,40,\nvisit.csv,kitchen,a-b,still,40,,14\n`,
    )
    expect(labelOf("home/night.csv")).toEqual({
      room: "kitchen",
      link: "a-b",
      spans: [{ fromS: 0, untilS: Infinity, state: "empty", breathingPerMinute: null }],
    })
    expect(labelOf("visit.csv")?.spans).toEqual([
      { fromS: 12, untilS: 40, state: "moving", breathingPerMinute: null },
      { fromS: 40, untilS: Infinity, state: "still", breathingPerMinute: 14 },
    ])
    expect([labelOf("midnight.csv"), labelOf("other.csv")]).toEqual([null, null])
  })

  it.each([
    ["another header", "file,state\n", /line 1/],
    ["an unknown state", `${head}\na.csv,r,l,asleep,,,\n`, /line 2 needs .*empty, moving, still, phantom/],
    ["an end before the start", `${head}\na.csv,r,l,empty,9,3,\n`, /line 2/],
    ["no room", `${head}\n\na.csv,,l,empty,,,\n`, /line 3/],
  ])("are rejected with %s", (_, text, message) => {
    expect(() => parseLabels(text)).toThrow(message)
  })

  it("of public recordings are known by their names", () => {
    expect(publicLabelOf("pulse_esp32/vacio_01.csv")?.spans[0]?.state).toBe("empty")
    expect(publicLabelOf("any/breathsense/BPM12/config0001_csi_status_log.csv")?.spans[0]?.breathingPerMinute).toBe(12)
    expect(publicLabelOf("vacio_01.csv")).toBeNull()
  })
})
