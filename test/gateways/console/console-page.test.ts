import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildConsole, consoleFolder } from "../../../deploy/console/build.mjs"
import { type ConsoleAsset, readConsoleAssets } from "../../../gateways/console/console-assets.ts"
import { makeConsole } from "../../../gateways/console/console-page.ts"

let assets: ReadonlyArray<ConsoleAsset>
const empty = mkdtempSync(join(tmpdir(), "wavepose-console-"))

beforeAll(async () => {
  await buildConsole()
  assets = await readConsoleAssets(consoleFolder)
})
afterAll(() => rmSync(empty, { recursive: true, force: true }))

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  makeConsole(assets)({ method, path, header: (name) => headers[name] })

describe("the console's files", () => {
  it("are built once and found again", async () => {
    expect(await buildConsole()).toBe(false)
    expect(assets.map(({ path }) => path.replace(/-[A-Za-z0-9]{8}\./, "-HASH.")).sort()).toEqual(
      ["/", "/assets/icon-HASH.svg", "/assets/main-HASH.css", "/assets/main-HASH.js"],
    )
  })

  it("are the same in each encoding", () => {
    for (const { brotli, bytes, gzip } of assets) {
      expect(gunzipSync(gzip).equals(bytes)).toBe(true)
      expect(brotliDecompressSync(brotli).equals(bytes)).toBe(true)
    }
  })

  it("load within 400 kB compressed", () => {
    expect(assets.reduce((sum, { gzip }) => sum + gzip.byteLength, 0)).toBeLessThan(400_000)
  })

  it("name every file that the page loads", () => {
    const page = Buffer.from(assets.find(({ path }) => path === "/")!.bytes).toString()
    const loaded = [...page.matchAll(/(?:src|href)="\.(\/[^"]+)"/g)].map((match) => match[1]!)
    expect(loaded.length).toBe(3)
    expect(loaded.filter((path) => !assets.some((asset) => asset.path === path))).toEqual([])
  })
})

describe("the console's answers", () => {
  it("serve the page with a policy that allows nothing from elsewhere", () => {
    const { headers, mediaType, status } = get("/")!
    expect([status, mediaType]).toEqual([200, "text/html; charset=utf-8"])
    expect(headers["Content-Security-Policy"]).toContain("default-src 'none'")
    expect(headers["Content-Security-Policy"]).not.toContain("unsafe")
    expect(headers["Cache-Control"]).toBe("no-cache")
  })

  it("let browsers keep files whose name has their hash", () => {
    const { path } = assets.find(({ path }) => path.endsWith(".js"))!
    expect(get(path)!.headers["Cache-Control"]).toContain("immutable")
  })

  it("choose the encoding that the client accepts", () => {
    expect(get("/", { "accept-encoding": "gzip, br" })!.headers["Content-Encoding"]).toBe("br")
    expect(get("/", { "accept-encoding": "gzip" })!.headers["Content-Encoding"]).toBe("gzip")
    expect(get("/")!.headers["Content-Encoding"]).toBeUndefined()
  })

  it("are 304 for a client that has the file", () => {
    const { ETag } = get("/")!.headers
    expect(get("/", { "if-none-match": ETag! })).toMatchObject({ status: 304, body: null })
  })

  it("leave all other paths to the API", () => {
    for (const path of ["/docs", "/assets/../package.json", "/assets/main.js", "/index.html", "/assets/"]) {
      expect(get(path)).toBeNull()
    }
  })

  it("reject other methods", () => {
    expect(get("/", {}, "POST")).toMatchObject({ status: 405, headers: { Allow: "GET, HEAD" } })
  })

  it("say that the console is not built, where it is not", async () => {
    const answer = makeConsole(await readConsoleAssets(empty))({ method: "GET", path: "/", header: () => undefined })
    expect(answer).toMatchObject({ status: 503 })
    expect(String(answer!.body)).toContain("was not built")
  })
})
