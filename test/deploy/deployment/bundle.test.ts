/** The bundle of the service, which the launcher runs: it finds the files beside the sources, and is built once. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { buildService } from "../../../deploy/bundle/build.mjs"
import { root } from "../../harness/sources.ts"

const run = (file: string, ...args: ReadonlyArray<string>): string => {
  const runtime = "Deno" in globalThis ? ["run", "--quiet", "--allow-all", `--config=${join(root, "deno.json")}`] : []
  return execFileSync(process.execPath, [...runtime, file, ...args], { cwd: dirname(file), encoding: "utf8" })
}

it(
  "runs a command with a file of the sources, hides a part of Node from Effect first, and is not built again",
  async () => {
    const file = await buildService()
    const site = JSON.parse(run(file, "sim", "site", "living-room"))
    expect(site).toMatchObject([{ environmentId: "living-room", routers: expect.arrayContaining(["living-1"]) }])
    expect(readFileSync(file, "utf8")).toBe('import "./first.mjs"\nimport "./service.mjs"\n')
    const [, shared] = /import"\.\/([\w-]+\.mjs)";/.exec(readFileSync(join(dirname(file), "first.mjs"), "utf8"))!
    const hides = readFileSync(join(dirname(file), shared!), "utf8")
    expect(hides).toContain("node:async_hooks")
    expect(hides).not.toContain('from"./')
    expect(await buildService()).toBe(file)
  },
  60_000,
)
