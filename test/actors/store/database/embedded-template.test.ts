/** The template of an embedded database: made once, copied for every folder, whole or not there. */
import { PGlite } from "@electric-sql/pglite"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { keepTemplate, newDatabase } from "../../../../actors/store/database/embedded-template.ts"

const root = mkdtempSync(join(tmpdir(), "wavepose-template-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const cache = join(root, "not", "there", "yet")

/** Opens a database, runs a statement, and closes it. */
const ask = async (folder: string, statement: string): Promise<ReadonlyArray<unknown>> => {
  const database = await PGlite.create({ dataDir: folder })
  const { rows } = await database.query(statement)
  await database.close()
  return rows
}
const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"

describe("the template of an embedded database", () => {
  it("is made the first time, found after that, and takes the place of earlier ones", async () => {
    let made = 0
    mkdirSync(join(cache, "database-0123456789abcdef"), { recursive: true })
    const first = await keepTemplate({ cache, onMake: () => made++ })
    expect(await keepTemplate({ cache, onMake: () => made++ })).toBe(first)
    expect(made).toBe(1)
    expect(readdirSync(cache).map((name) => join(cache, name))).toEqual([first])
  }, 60_000)

  it("gives databases that know nothing of each other, and leaves one that is there as it is", async () => {
    const [one, other] = [join(root, "one", "database"), join(root, "other", "database")]
    await newDatabase(one, { cache })
    await newDatabase(other, { cache })
    expect(await ask(one, tables)).toEqual([])
    await ask(one, "CREATE TABLE mine (id int)")
    await newDatabase(one, { cache })
    expect(await ask(one, tables)).toEqual([{ tablename: "mine" }])
    expect(await ask(other, tables)).toEqual([])
    expect(readdirSync(join(root, "one"))).toEqual(["database"])
  }, 60_000)

  it("is done without where none can be kept", async () => {
    writeFileSync(join(root, "file"), "")
    const folder = join(root, "without", "database")
    await newDatabase(folder, { cache: join(root, "file", "cache") })
    expect(await ask(folder, tables)).toEqual([])
    expect(existsSync(join(folder, "PG_VERSION"))).toBe(true)
  }, 60_000)
})
