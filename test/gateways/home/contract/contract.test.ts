/**
 * The home API against Home Assistant: the same requests, and the answers compared.
 *
 * The answers of Home Assistant 2026.11.0 are in `home-assistant.jsonl`. With `HOME_ASSISTANT_URL` and `HOME_ASSISTANT_TOKEN` (of an
 * administrator) the test asks that server, whose configuration must contain `configuration.yaml`, and writes its answers.
 */
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { applyHelperFile } from "../../../../actors/home/services/helper-entities.ts"
import { makeStates } from "../../../../actors/home/services/states.ts"
import { HomeRuntime } from "../../../../protocols/ports/home-runtime.ts"
import { token } from "../harness.ts"
import { servedHome } from "../served.ts"
import { cases } from "./cases.ts"
import { differences, type Json } from "./difference.ts"
import { runCase } from "./exchange.ts"

const file = join(import.meta.dirname, "home-assistant.jsonl")
const peer = { url: process.env["HOME_ASSISTANT_URL"], token: process.env["HOME_ASSISTANT_TOKEN"] }
const home = servedHome()

/** The helpers of `configuration.yaml`. */
const helpers = {
  input_boolean: { guests: { name: "Guests" } },
  input_number: { level: { min: 0, max: 10, step: 0.5, initial: 3 } },
  input_select: { mode: { options: ["Home", "Away", "Night"], initial: "Home" } },
}

const record = async (url: string, token: string): Promise<void> => {
  const recorded: Record<string, Json> = {}
  for (const { name, steps } of cases) recorded[name] = await runCase({ url, token }, steps)
  writeFileSync(file, Object.entries(recorded).map((entry) => `${JSON.stringify(entry)}\n`).join(""))
}

beforeAll(async () => {
  if (peer.url !== undefined && peer.token !== undefined) await record(peer.url, peer.token)
  await home.run(Effect.gen(function* () {
    yield* applyHelperFile(yield* makeStates, helpers, yield* (yield* HomeRuntime).context(null))
  }))
}, 120_000)

describe("the home API answers as Home Assistant does", () => {
  const recorded = (): Readonly<Record<string, Json>> =>
    Object.fromEntries(readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line)))

  it("and every case is recorded", () => {
    expect(Object.keys(recorded())).toEqual(cases.map(({ name }) => name))
  })

  for (const { differs, exact = false, name, steps } of cases) {
    it(differs === undefined ? name : `${name}, but: ${differs}`, async () => {
      const got = await runCase({ url: home.url, token }, steps)
      const found = differences(recorded()[name]!, got, exact)
      // A divergence that has gone must leave the list.
      if (differs === undefined) expect(found).toEqual([])
      else expect(found).not.toEqual([])
    }, 60_000)
  }
})
