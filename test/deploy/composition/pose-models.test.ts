/** The models of a node: real files in a real folder, valid and invalid. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { PoseModels } from "../../../actors/runtime/pose/pose-models.ts"
import { layerPoseModels, readPoseNetwork } from "../../../deploy/composition/pose-models.ts"
import { randomWeights } from "../../core/pose/random-network.ts"
import { ownVersion } from "../../harness/own-weights.ts"

/** The version of the repository's weights. */
const shipped = readPoseNetwork("wavepose")!.modelVersion

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "wavepose-models-"))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const put = (name: string, bytes: Uint8Array | string): string => {
  writeFileSync(join(folder, name), bytes)
  return join(folder, name)
}

/** Runs on a node that was started with this file. */
const on = <A, E>(file: string | null, program: Effect.Effect<A, E, PoseModels>): Promise<A> =>
  program.pipe(
    Effect.provide(layerPoseModels(file).pipe(Layer.provide(NodeServices.layer))),
    Effect.runPromise,
  )

const find = (modelVersion: string) => Effect.flatMap(PoseModels, (models) => models.find(modelVersion))

describe("the models of a node", () => {
  it("are those of its folder and of the service, by the metadata of each file", async () => {
    const own = put("a.safetensors", randomWeights(1))
    put("whatever it is called.safetensors", randomWeights(2))
    await on(
      own,
      Effect.gen(function* () {
        const models = yield* PoseModels
        expect(models.own!.modelVersion).toBe("random-1")
        expect(yield* find("random-1")).toBe(models.own)
        const second = yield* find("random-2")
        expect(second.modelVersion).toBe("random-2")
        expect(second.queries).not.toEqual(models.own!.queries)
        expect(yield* find("random-2")).toBe(second)
        expect((yield* find(shipped)).modelVersion).toBe(shipped)
        // What is put there later is found, and what is written anew is read anew.
        put("later.safetensors", randomWeights(3))
        expect((yield* find("random-3")).modelVersion).toBe("random-3")
        put("whatever it is called.safetensors", randomWeights(5, { model_version: "random-2", comment: "longer" }))
        expect((yield* find("random-2")).queries).not.toEqual(second.queries)
      }),
    )
  })

  it("are the service's own if no file is named", () =>
    on(null, Effect.map(PoseModels, ({ own }) => expect(own!.modelVersion).toBe(shipped))))

  it("have precedence over those of the service, and the file of the start over all", async () => {
    const other = put("b.safetensors", randomWeights(1, { model_version: shipped }))
    const own = put("c.safetensors", randomWeights(2, { model_version: shipped }))
    await on(
      own,
      Effect.gen(function* () {
        expect(yield* find(shipped)).toBe((yield* PoseModels).own)
      }),
    )
    rmSync(own)
    const first = await on(put("d.safetensors", randomWeights(3)), find(shipped))
    expect(first.queries).toEqual((await on(other, Effect.map(PoseModels, (models) => models.own!))).queries)
  })

  it("name the existing versions if one is missing, and why a file is invalid", async () => {
    const own = put("a.safetensors", randomWeights(1))
    put("notes.safetensors", "no weights")
    put("weights.txt", randomWeights(7))
    const error = await on(own, Effect.flip(find("random-7")))
    expect(error).toMatchObject({ _tag: "UnknownModel", modelVersion: "random-7" })
    expect(error.message).toContain(`model_version "random-7"`)
    const all = ["random-1", ownVersion("wavepose"), ownVersion("wavepose-no-geometry")].sort()
    expect(error.message).toContain(all.join(", "))
    expect(error.message).toMatch(/notes.safetensors \(The file's header .* not a safetensors file/)
  })

  it("cannot be named by a path, because a version is never part of one", async () => {
    mkdirSync(join(folder, "inner"))
    put("secret.safetensors", randomWeights(9))
    const own = put("inner/a.safetensors", randomWeights(1))
    for (const version of ["../secret", "../secret.safetensors", join(folder, "secret"), "random-9", ""]) {
      expect(await on(own, Effect.flip(find(version)))).toMatchObject({ _tag: "UnknownModel" })
    }
  })

  it("are rejected with a reason if they do not fit", async () => {
    const own = put("a.safetensors", randomWeights(1))
    const whole = randomWeights(2)
    put("short.safetensors", whole.subarray(0, whole.length - 4))
    expect(await on(own, Effect.flip(find("random-2")))).toMatchObject({
      _tag: "UnusableModel",
      modelVersion: "random-2",
      message: expect.stringMatching(/short.safetensors cannot be used: .* does not match its data offsets/),
    })
    put("b.safetensors", randomWeights(3))
    put("c.safetensors", randomWeights(3))
    expect(await on(own, Effect.flip(find("random-3")))).toMatchObject({
      _tag: "UnusableModel",
      message: expect.stringContaining("b.safetensors and c.safetensors"),
    })
  })

  it("prevent the start of a node if its file is invalid", async () => {
    const starting = on(put("a.safetensors", "no weights"), Effect.void).then(() => null, (error) => error)
    expect(await starting).toMatchObject({ _tag: "UnusableModel", message: expect.stringContaining("a.safetensors") })
  })
})
