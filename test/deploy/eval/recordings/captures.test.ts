import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { readCaptures } from "../../../../deploy/eval/recordings/captures.ts"
import { parseLabels } from "../../../../deploy/eval/recordings/labels.ts"

const line = (i: number): string =>
  `CSI_DATA,STA,aa:bb:cc:dd:ee:ff,-40,11,1,0,0,1,1,0,0,0,0,-90,0,6,0,${1e6 + 1e4 * i},0,100,0,1,0.5,128,` +
  `[${Array(128).fill(7).join(" ")}]\n`

it("a file that can be read in part is judged and named", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavepose-captures-"))
  try {
    const lines = Array.from({ length: 40 }, (_, i) => line(i))
    writeFileSync(join(folder, "whole.csv"), lines.join(""))
    writeFileSync(
      join(folder, "torn.csv"),
      lines.map((line, i) => i % 4 === 1 ? line.slice(0, 150) + "\n" : line).join(""),
    )
    const labelOf = parseLabels(
      "file,room,link,state,from_s,until_s,breathing_per_minute\nwhole.csv,r,l,empty,,,\ntorn.csv,r,l,empty,,,\n",
    )
    const { captures, faulty, unreadable } = readCaptures(folder, labelOf)
    expect(captures.map(({ name }) => name)).toEqual(["torn.csv", "whole.csv"])
    expect(unreadable).toEqual([])
    expect(faulty).toEqual([{ name: "torn.csv", packets: 30, faults: 10 }])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
