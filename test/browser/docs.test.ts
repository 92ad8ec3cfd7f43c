/**
 * The documentation page in a real Chromium: search, samples, and a request from the page, under its content security policy.
 */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Gateway, startGateway } from "../gateways/pose/harness.ts"
import { accessibilityFaults, hasChromium, launchChromium, openPage, type WatchedPage } from "../harness/browser.ts"

let gateway: Gateway
let browser: Browser
let watched: WatchedPage

beforeAll(async () => {
  if (!hasChromium) return
  gateway = await startGateway()
  browser = await launchChromium()
  watched = await openPage(await browser.newContext({ viewport: { width: 1280, height: 800 } }), gateway.url)
  await watched.page.goto(`${gateway.url}/docs#getHealth`)
}, 60_000)
afterAll(async () => {
  await browser?.close()
  await gateway?.stop()
})

describe.skipIf(!hasChromium)(
  `the documentation page${hasChromium ? "" : " (skipped: Chromium is not installed)"}`,
  () => {
    it("opens the operation of its address, with samples in three languages", async () => {
      const texts = await watched.page.locator("#getHealth details.sample > summary").allTextContents()
      expect(await watched.page.locator("#getHealth").getAttribute("open")).not.toBeNull()
      expect(texts).toEqual(expect.arrayContaining(["curl", "JavaScript", "Python"]))
    })

    it("sends a request and shows the answer", async () => {
      const { page } = watched
      await page.locator("#getHealth form.try button").click()
      const output = page.locator("#getHealth form.try output")
      await output.filter({ hasText: '"status"' }).waitFor()
      expect(await output.textContent()).toMatch(/^200 in \d+ ms\n\{/)
    })

    it("sends the token and the parameters", async () => {
      const { page } = watched
      await page.locator("#token").fill(await gateway.token("viewer"))
      await page.locator("#getPoseLatest > summary").click()
      await page.locator('#getPoseLatest input[name="environment_id"]').fill("nowhere")
      await page.locator("#getPoseLatest form.try button").click()
      const output = page.locator("#getPoseLatest form.try output")
      await output.filter({ hasText: "RESOURCE_NOT_FOUND" }).waitFor()
      expect(await output.textContent()).toMatch(/^404/)
    })

    it("finds operations by words", async () => {
      const { page } = watched
      await page.locator("#search").fill("history cursor")
      expect(await page.locator("#getPoseHistory").isVisible()).toBe(true)
      expect(await page.locator("#postAuthLogout").isVisible()).toBe(false)
      await page.locator("#search").fill("")
      expect(await page.locator("#postAuthLogout").isVisible()).toBe(true)
    })

    it("describes the WebSocket and gRPC", async () => {
      expect(await watched.page.locator("#websocket").textContent()).toContain("4408")
      expect(await watched.page.locator("#grpc").textContent()).toContain("grpcurl")
    })

    it("is accessible, and obeys its content security policy", async () => {
      expect(await accessibilityFaults(watched.page)).toEqual([])
      expect(watched.faults).toEqual([])
    })
  },
)
