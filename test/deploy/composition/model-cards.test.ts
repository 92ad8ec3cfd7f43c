/** The cards of pose networks, beside their weights. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { layerModelCards } from "../../../deploy/composition/model-cards.ts"
import { ModelCards } from "../../../protocols/ports/model-cards.ts"

const folder = mkdtempSync(join(tmpdir(), "wavepose-cards-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const cardOf = (version: string, weightsFile: string | null) =>
  Effect.runPromise(
    Effect.flatMap(ModelCards, ({ find }) => find(version)).pipe(
      Effect.provide(layerModelCards(weightsFile)),
      Effect.provide(NodeServices.layer),
    ),
  )

describe("the card of a network", () => {
  it("is the README.md beside the weights whose first heading is its version", async () => {
    writeFileSync(join(folder, "README.md"), "# mine-1\n\nTrained on my flat.\n")
    expect(await cardOf("mine-1", join(folder, "mine.safetensors"))).toContain("Trained on my flat.")
    expect(await cardOf("mine-2", join(folder, "mine.safetensors"))).toBeNull()
  })

  it("is found for the service's own network, also beside weights of one's own", async () => {
    const own = readFileSync(new URL("../../../deploy/models/README.md", import.meta.url), "utf8")
    const version = own.split("\n", 1)[0]!.slice(2)
    expect(await cardOf(version, null)).toBe(own)
    expect(await cardOf(version, join(folder, "mine.safetensors"))).toBe(own)
  })
})
