/** The TypeScript client in a real Chromium, bundled as its README says, on a page of another origin than the service. */
import { build } from "esbuild"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../harness/browser.ts"
import { adminPassword, startService, type TestService } from "../harness/service.ts"

const clientModule = fileURLToPath(new URL("../../protocols/clients/typescript/mod.ts", import.meta.url))

let pages: Server
let service: TestService
let browser: Browser
let page: Page

/** Serves a page with the bundled client as the global `wavepose`. */
const servePage = async (): Promise<string> => {
  const bundled = await build({
    entryPoints: [clientModule],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "wavepose",
  })
  const body = `<!doctype html><script>${bundled.outputFiles[0]!.text}</script>`
  pages = createServer((_request, response) => response.setHeader("content-type", "text/html").end(body))
  await new Promise<void>((listening) => pages.listen(0, "127.0.0.1", listening))
  return `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
}

/** The value of an expression of the page, in which `options` are those of a client that signs in. */
const inPage = (expression: string): Promise<unknown> =>
  page.evaluate(`(async () => {
    const url = ${JSON.stringify(service.pose)}
    const token = wavepose.passwordToken(url, "admin", ${JSON.stringify(adminPassword)})
    const options = { url, form: "bare", token }
    ${expression}
  })()`)

beforeAll(async () => {
  if (!hasChromium) return
  const origin = await servePage()
  service = await startService({
    args: ["--scenario", "small-room"],
    env: { WAVEPOSE_CORS_ORIGINS: origin },
  })
  browser = await launchChromium()
  page = await browser.newPage()
  await page.goto(origin)
}, 90_000)
afterAll(async () => {
  await browser?.close()
  await service?.stop()
  pages?.close()
})

describe.skipIf(!hasChromium)(
  `the TypeScript client in a browser${hasChromium ? "" : " (skipped: Chromium is not installed)"}`,
  () => {
    it("signs in and calls an operation", async () => {
      const status = await inPage("return (await wavepose.createClient(options).get('/api/v1/system/status')).status")
      expect(status).toBe("running")
    })

    it("throws the error of a rejected request", async () => {
      const failure = await inPage(`
        const query = { environment_id: "nowhere" }
        return wavepose.createClient(options).get("/api/v1/pose/latest", { query })
          .catch((error) => [error instanceof wavepose.WaveposeError, error.status, error.code])`)
      expect(failure).toEqual([true, 404, "RESOURCE_NOT_FOUND"])
    })

    it("streams every frame once and in order, although a connection fails", async () => {
      const [ids, sockets] = await inPage(`
        const sockets = []
        class Kept extends WebSocket {
          constructor(...parameters) {
            super(...parameters)
            sockets.push(this)
          }
        }
        const ids = []
        for await (const { data } of wavepose.poseStream(options, {}, { WebSocket: Kept, retryMs: 20 })) {
          ids.push(data.frame_id)
          if (ids.length === 5) sockets[0].close()
          if (ids.length === 15) break
        }
        return [ids, sockets.length]`) as [ReadonlyArray<number>, number]
      expect(ids).toEqual(ids.map((_, i) => ids[0]! + i))
      expect(sockets).toBeGreaterThan(1)
    }, 60_000)
  },
)
