/** Scenarios of the simulator: bundled ones by name, files, and random ones. */
import { Effect } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { defaultSuite, randomScenario } from "../../sim/random-scenario/random-scenario.ts"
import { decodeScenario, InvalidScenario, type Scenario } from "../../sim/scenario/scenario.ts"
import { InvalidArguments, InvalidCommand } from "../settings/invalid-command.ts"

/** The name of the scenario that is generated from its seed. */
const randomName = "random"

const scenariosFolder = new URL("../../sim/scenarios/", import.meta.url)

const scenarioNames = (): ReadonlyArray<string> =>
  readdirSync(scenariosFolder).filter((name) => name.endsWith(".json")).map((name) => basename(name, ".json")).sort()

const readScenario = Effect.fnUntraced(function* (nameOrFile: string) {
  const bundled = fileURLToPath(new URL(`${basename(nameOrFile, ".json")}.json`, scenariosFolder))
  const file = existsSync(nameOrFile) ? nameOrFile : bundled
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: () =>
      new InvalidArguments({
        message: `There is no scenario "${nameOrFile}", neither as a file nor by name. The names are ${
          scenarioNames().join(", ")
        }, and ${randomName}, which is generated from its seed.`,
      }),
  })
  const json = yield* Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: (cause) => new InvalidCommand({ message: `${file} is not JSON: ${cause}` }),
  })
  return yield* decodeScenario(json)
})

/** Loads a scenario: a file, a name in `sim/scenarios`, or a random one. `seed` replaces the scenario's own. */
export const loadScenario = Effect.fnUntraced(function* (
  nameOrFile: string,
  seed: number | null = null,
): Effect.fn.Return<Scenario, InvalidArguments | InvalidCommand | InvalidScenario> {
  if (nameOrFile === randomName) return randomScenario(defaultSuite, seed ?? 1)
  const scenario = yield* readScenario(nameOrFile)
  return seed === null ? scenario : { ...scenario, seed }
})
