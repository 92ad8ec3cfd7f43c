/** The command as its user runs it. */
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { suiteNames } from "../../../sim/evaluation/suites.ts"

const entry = fileURLToPath(new URL("../../../deploy/eval/main.ts", import.meta.url))
const out = mkdtempSync(join(tmpdir(), "wavepose-eval-"))
afterAll(() => rmSync(out, { recursive: true, force: true }))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command on the runtime that runs the tests. */
const evaluate = (...args: ReadonlyArray<string>): Promise<Ended> =>
  new Promise((resolve) => {
    const runtime = "Deno" in globalThis ? ["run", "--quiet", "-A"] : []
    execFile(process.execPath, [...runtime, entry, ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }))
  })

describe("npm run eval", () => {
  it("prints one JSON object and nothing else, with progress on stderr", async () => {
    const { code, stderr, stdout } = await evaluate(
      "--suite",
      "new-room",
      "--seeds",
      "20000",
      "--seconds",
      "12",
      "--json",
    )
    expect(code, stderr).toBe(0)
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ suite: "new-room", seeds: "20000-20000", seed_range: "test", sequences: 1 })
    expect(result.metrics.mota).toBeLessThanOrEqual(1)
    expect(result.metrics.count_exact_percent).toBeGreaterThanOrEqual(0)
    expect(result.baselines.mean_pose.matched_percent).toBe(result.metrics.matched_percent)
    expect(stderr).toContain("new-room 1/1")
  })

  it("prints a table and writes results and plots", async () => {
    const { code, stderr, stdout } = await evaluate(
      "--suite",
      "new-room",
      "--seeds",
      "20000",
      "--seconds",
      "12",
      "--no-baselines",
      "--out",
      out,
    )
    expect(code, stderr).toBe(0)
    expect(stdout).toContain("mpjpe_pelvis_aligned_mm")
    expect(readdirSync(out).sort()).toEqual(["new-room.json", "new-room.svg"])
    expect(JSON.parse(readFileSync(join(out, "new-room.json"), "utf8"))).toMatchObject({
      suite: "new-room",
      sequences: 1,
    })
    expect(readFileSync(join(out, "new-room.svg"), "utf8")).toMatch(
      /^<svg [\s\S]*>new-room: simulated, seeds 20000-20000/,
    )
  })

  it("reports invalid suites and seeds, seeds that are not for training, and contradictory flags", async () => {
    const [suite, seeds, poses, both] = await Promise.all([
      evaluate("--suite", "nothing"),
      evaluate("--seeds", "many"),
      evaluate("--mean-poses", "--seeds", "20000-20001"),
      evaluate("--mean-poses", "--seeds", "1-2", "--resume", join(out, "kept")),
    ])
    expect([suite, seeds, poses, both].map(({ code }) => code)).toEqual([64, 64, 64, 64])
    for (const name of suiteNames) expect(suite.stdout + suite.stderr).toContain(name)
    expect(seeds.stderr).toContain("20000-20023")
    expect(poses.stderr).toContain("not for training")
    expect(both.stderr).toContain("--resume")
  })
})
