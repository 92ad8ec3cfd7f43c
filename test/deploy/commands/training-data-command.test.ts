/** Training data in the rooms of a site: the command on real files. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Layer } from "effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type TrainingDataOptions, writeTrainingData } from "../../../deploy/commands/training-data-command.ts"

let root: string
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "wavepose-training-"))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const node = (nodeId: string, ...position: ReadonlyArray<number>) => ({ nodeId, position, arrayAxis: [1, 0, 0] })
const site = {
  environmentId: "flat",
  name: "Flat",
  geometry: {
    size: [5.2, 4.4, 2.5],
    nodes: [
      node("r1", 0.2, 0.2, 1),
      node("r2", 5, 0.3, 1.4),
      node("r3", 2.4, 4.2, 2),
      node("tv", 0.3, 4.1, 0.6),
    ],
  },
  routers: ["r1", "r2", "r3"],
}

const siteFile = (content: unknown): string => {
  const file = join(root, "site.json")
  writeFileSync(file, JSON.stringify(content))
  return file
}

const write = (
  options: Partial<TrainingDataOptions>,
  files: Layer.Layer<FileSystem.FileSystem, never, FileSystem.FileSystem> = Layer.effect(
    FileSystem.FileSystem,
    FileSystem.FileSystem,
  ),
) =>
  writeTrainingData({
    folder: join(root, "data"),
    firstSeed: 1,
    lastSeed: 1,
    step: 1,
    seconds: 14,
    siteFiles: [],
    json: true,
    ...options,
  })
    .pipe(Effect.provide(files), Effect.provide(NodeServices.layer), Effect.runPromise)
const refusal = (options: Partial<TrainingDataOptions>) => write(options).then(() => null, (error) => error)

/** The sequences of a folder, by name. */
const sequencesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).filter((name) => name.endsWith(".seq")).map((name) => [name, readFileSync(join(folder, name))]),
  )

describe("training data of a site", () => {
  it("are the same for the same seed and site, of either range", async () => {
    const file = siteFile(site)
    const [one, two] = [join(root, "one"), join(root, "two")]
    const validation = { firstSeed: 10_004, lastSeed: 10_004 }
    for (const folder of [one, two]) await write({ folder, siteFiles: [file] })
    await write({ folder: two, siteFiles: [file], ...validation })
    const [first, second] = [sequencesIn(one), sequencesIn(two)]
    expect(Object.keys(first)).toContain("00001-0.seq")
    expect(second).toMatchObject(first)
    expect(Object.keys(second)).toContain("10004-0.seq")
    // The scenes are remembered; a transmitter that is no router does not receive.
    expect(JSON.parse(readFileSync(join(one, "scenes.json"), "utf8"))).toEqual({
      seconds: 14,
      rooms: [{ ...site.geometry, receivers: ["r1", "r2", "r3"] }],
    })
  }, 120_000)

  it("have all persons of a seed that was interrupted between two of them", async () => {
    const options = { firstSeed: 2, lastSeed: 2 }
    let renames = 0
    const stopping = Layer.effect(
      FileSystem.FileSystem,
      Effect.map(FileSystem.FileSystem, (files) => ({
        ...files,
        rename: (from: string, to: string) => ++renames === 2 ? Effect.interrupt : files.rename(from, to),
      })),
    )
    await expect(write(options, stopping)).rejects.toThrow()
    expect(Object.keys(sequencesIn(join(root, "data")))).toHaveLength(1)
    await write(options)
    expect(Object.keys(sequencesIn(join(root, "data")))).toEqual(["00002-0.seq", "00002-1.seq"])
  }, 120_000)

  it("do not mix with those of other rooms or lengths in a folder", async () => {
    const noSeeds = { firstSeed: 3, lastSeed: 2 }
    const other = { ...site, geometry: { ...site.geometry, size: [6, 5, 2.5] } }
    await write({ siteFiles: [siteFile(site)], ...noSeeds })
    await write({ siteFiles: [siteFile([site])], ...noSeeds })
    expect(await refusal({ siteFiles: [siteFile(other)], ...noSeeds })).toMatchObject({ _tag: "ForeignFolder" })
    expect(await refusal(noSeeds)).toMatchObject({ _tag: "ForeignFolder" })
    expect(await refusal({ siteFiles: [siteFile(site)], seconds: 15, ...noSeeds })).toMatchObject({
      _tag: "ForeignFolder",
      message: expect.stringContaining("the --seconds of its first run"),
    })
    const random = join(root, "random")
    await write({ folder: random, ...noSeeds })
    writeFileSync(join(random, "00001-0.seq"), "")
    await write({ folder: random, ...noSeeds })
    expect(await refusal({ folder: random, siteFiles: [siteFile(site)], ...noSeeds }))
      .toMatchObject({ _tag: "ForeignFolder" })
  })

  it("do not continue in a folder of an earlier version, whose scenes are unknown", async () => {
    const folder = join(root, "earlier")
    mkdirSync(folder)
    for (const name of ["rooms.json", "00001-0.seq"]) writeFileSync(join(folder, name), "")
    expect(await refusal({ folder, siteFiles: [siteFile(site)] })).toMatchObject({
      _tag: "ForeignFolder",
      message: expect.stringMatching(/has data of an earlier version.*Use another folder/),
    })
  })

  it.each([
    ["without a geometry", { ...site, geometry: null }, /Measure the room/],
    [
      "with too few links",
      { ...site, geometry: { ...site.geometry, nodes: site.geometry.nodes.slice(0, 3) }, routers: ["r1"] },
      /make 2 links, but a pose needs 3/,
    ],
    [
      "with nodes outside",
      { ...site, geometry: { ...site.geometry, size: [3, 3, 2.5] } },
      /"r2" at .* is outside the room/,
    ],
    ["that is invalid", { ...site, routers: 3 }, /is not a valid site file/],
  ])("are rejected for a site %s", async (_, content, message) => {
    expect((await refusal({ siteFiles: [siteFile(content)] })).message).toMatch(message)
  })

  it("reject test seeds, for any site", async () => {
    expect(await refusal({ siteFiles: [siteFile(site)], firstSeed: 20_000, lastSeed: 20_000 }))
      .toMatchObject({ _tag: "InvalidArguments" })
  })
})
