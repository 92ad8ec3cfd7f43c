import { describe, expect, it } from "vitest"
import { type Evidence, type HistoryFrame, type SeenFrame, violationsOf } from "../../../sim/cluster/checker.ts"

const frame = (frameId: number, given: Partial<HistoryFrame> = {}): HistoryFrame => ({
  frameId,
  timestampMs: 100 * frameId,
  digest: `${frameId}`,
  writer: "a",
  owner: "a",
  ...given,
})
const seen = (...frames: ReadonlyArray<SeenFrame>) => [{ client: "reader", environmentId: "room", frames }]
const evidence = (rows: ReadonlyArray<HistoryFrame>, given: Partial<Evidence> = {}): Evidence => ({
  history: new Map([["room", rows]]),
  watched: seen(...rows),
  freshMs: 0,
  ...given,
})

describe("the checker", () => {
  const good = [frame(1), frame(2), frame(3)]

  it("finds nothing in a good run, nor in a write while nobody owned the shard", () => {
    expect(violationsOf(evidence(good))).toEqual([])
    expect(violationsOf(evidence([frame(1), frame(2, { owner: null })]))).toEqual([])
  })

  const cases: ReadonlyArray<[name: string, evidence: Evidence, says: RegExp]> = [
    [
      "a frame that was seen and is lost",
      evidence(good, { watched: seen(frame(4)) }),
      /seen and is not in the history/,
    ],
    ["other content", evidence(good, { watched: seen(frame(2, { digest: "x" })) }), /differs from the history/],
    [
      "an id that was written twice",
      evidence([frame(1), frame(1, { timestampMs: 200 })], { watched: [] }),
      /has the id 1/,
    ],
    ["a gap of ids", evidence([frame(1), frame(3)], { watched: [] }), /row 2 of the history has the id 3/],
    ["two frames of a moment", evidence([frame(1), frame(2, { timestampMs: 100 })]), /same moment/],
    ["a writer that is not the owner", evidence([frame(1, { owner: "b" })]), /a wrote frame 1 while b owned it/],
    ["a frame that a client did not get", evidence(good, { watched: seen(frame(1), frame(3)) }), /came after 1/],
    ["a frame that a client got twice", evidence(good, { watched: seen(frame(1), frame(1)) }), /came after 1/],
    [
      "an acknowledged hop that has no frame",
      evidence([frame(1), frame(2, { timestampMs: 300 })], {
        watched: [],
        acknowledged: new Map([["room", [100, 200, 300, 400]]]),
      }),
      /the hop of 200 was acknowledged and has no frame/,
    ],
    ["an environment that stopped", evidence(good, { freshMs: 301 }), /no frame is newer than 300/],
  ]
  it.each(cases)("finds %s", (_, evidence, says) => {
    expect(violationsOf(evidence)).toEqual([expect.stringMatching(says)])
  })
})
