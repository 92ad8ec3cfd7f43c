/**
 * The console in a real Chromium, on a real service with a simulated room: from the one-time link to a moving person, at three sizes and in
 * both colour schemes. With `WAVEPOSE_SCREENSHOTS` set to a folder, it keeps a picture of every page.
 */
import type { Browser, BrowserContext } from "playwright-core"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parseLabels } from "../../deploy/eval/recordings/labels.ts"
import type { Environment } from "../../gateways/console/web/service/types.ts"
import { accessibilityFaults, hasChromium, launchChromium, openPage, type WatchedPage } from "../harness/browser.ts"
import { openConsole } from "../harness/console.ts"
import { adminPassword, eventually, startService, type TestService } from "../harness/service.ts"

const sizes = { phone: [390, 844], laptop: [1280, 800], wall: [1920, 1080] } as const
const schemes = ["light", "dark"] as const
const screenshots = process.env["WAVEPOSE_SCREENSHOTS"]
const dataDirectory = mkdtempSync(join(tmpdir(), "wavepose-console-"))

let service: TestService
let browser: Browser

const begin = (port = "0"): Promise<TestService> =>
  startService({
    args: ["--scenario", "small-room", "--seed", "7"],
    env: { WAVEPOSE_PORT: port },
    dataDirectory,
  })

beforeAll(async () => {
  if (!hasChromium) return
  service = await begin()
  browser = await launchChromium()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await service?.stop()
  rmSync(dataDirectory, { recursive: true, force: true })
})

const contextOf = ({ size = "laptop" }: { size?: keyof typeof sizes } = {}): Promise<BrowserContext> => {
  const [width, height] = sizes[size]
  return browser.newContext({ viewport: { width, height } })
}

const signedIn = (context: BrowserContext): Promise<WatchedPage> => openConsole(context, service.pose)

const tokenOf = async ({ pose }: TestService): Promise<string> => {
  const answer = await fetch(`${pose}/api/v1/auth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "admin", password: adminPassword }),
  })
  return (await answer.json() as { readonly access_token: string }).access_token
}

const keepPicture = async ({ page }: WatchedPage, name: string): Promise<void> => {
  if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
}

describe.skipIf(!hasChromium)("the console", () => {
  it("signs in by the link that the start prints, once, and leaves no secret in the address or the storage", async () => {
    const output = await eventually(() => Promise.resolve(service.output()), (text) => text.includes("#/welcome?code="))
    const link = /http:\S+#\/welcome\?code=\S+/.exec(output)![0]
    const context = await contextOf()
    const { faults, page } = await openPage(context, service.pose)
    await page.goto(link)
    await page.getByRole("heading", { level: 2 }).first().waitFor()
    expect(page.url()).toBe(`${service.pose}/`)
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"))
      .toBe(JSON.stringify([{}, {}, ""]))
    const other = await openPage(await contextOf(), service.pose)
    // Pasted into a tab that shows the console already.
    await other.page.goto(service.pose)
    await other.page.getByRole("button", { name: "Sign in" }).waitFor()
    await other.page.goto(link)
    await other.page.getByText("This link was used already").waitFor()
    await other.page.getByRole("button", { name: "Sign in" }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it("shows the persons in the room, marks them as simulated, and draws the skeleton", async () => {
    const context = await contextOf()
    const watched = await signedIn(context)
    const { faults, page } = watched
    await page.getByText(/^(One person|\d+ persons)/).waitFor({ timeout: 50_000 })
    await page.getByText("Simulated: no real room is measured").waitFor()
    expect(await page.getByRole("list", { name: "Persons" }).getByRole("listitem").first().textContent()).toMatch(
      /^[A-Z] \w+ at -?\d+\.\d, -?\d+\.\d m/,
    )
    expect(await page.evaluate("getComputedStyle(document.querySelector('.persons b')).borderBottomStyle")).toBe(
      "solid",
    )
    const drawn = "document.querySelector('canvas.stage').getContext('2d')" +
      ".getImageData(0, 0, 200, 200).data.some((value) => value > 0)"
    await eventually(() => page.evaluate(drawn), (isDrawn) => isDrawn === true)
    expect(faults).toEqual([])
    await context.close()
  })

  it("keeps two tabs signed in across reloads, and signs both out", async () => {
    const context = await contextOf()
    const first = await signedIn(context)
    const second = await openPage(context, service.pose)
    await second.page.goto(service.pose)
    await second.page.getByRole("navigation").waitFor()
    for (const { page } of [first, second, first]) {
      await page.reload()
      await page.getByRole("navigation").waitFor()
    }
    await first.page.getByRole("button", { name: /Sign out/ }).click()
    await second.page.reload()
    await second.page.getByRole("button", { name: "Sign in" }).waitFor()
    await context.close()
  })

  it("skips to the content of the page that is shown", async () => {
    const context = await contextOf()
    const { faults, page } = await signedIn(context)
    await page.getByRole("link", { name: "Alerts" }).click()
    await page.getByRole("main", { name: "Alerts" }).waitFor()
    expect(await page.title()).toMatch(/^Alerts, wavepose/)
    await eventually(() => page.evaluate("document.activeElement.id"), (id) => id === "content")
    await page.getByRole("link", { name: "Alerts" }).focus()
    await page.getByRole("link", { name: "To the content" }).press("Enter")
    expect(page.url()).toBe(`${service.pose}/#/alerts`)
    expect(await page.evaluate("document.activeElement.id")).toBe("content")
    expect(faults).toEqual([])
    await context.close()
  })

  it("says that the browser is still signed in when the sign-out fails, and signs out by another try", async () => {
    const context = await contextOf()
    const { page } = await signedIn(context)
    const path = "**/api/v1/auth/session"
    await page.route(path, (route) => route.fulfill({ status: 503, json: { error: { message: "Busy." } } }))
    await page.getByRole("button", { name: /Sign out/ }).click()
    await page.getByRole("alert").getByText("this browser is still signed in. Busy.").waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.unroute(path)
    await page.getByRole("button", { name: /Sign out/ }).click()
    await page.getByRole("button", { name: "Sign in" }).waitFor()
    await context.close()
  })

  it("says that the alerts could not be read, not that there are none", async () => {
    const context = await contextOf()
    const { page } = await openPage(context, service.pose)
    const path = "**/api/v1/alerts?*"
    await page.route(path, (route) => route.abort())
    await page.goto(`${service.pose}/#/alerts`)
    await page.getByLabel("Password").fill(adminPassword)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("alert").getByText("The stored alerts could not be read").waitFor()
    expect(await page.getByText("No alert is stored").count()).toBe(0)
    await page.unroute(path)
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("The stored alerts could not be read").waitFor({ state: "detached" })
    await context.close()
  })

  it("starts a calibration after time to leave, and shows its progress", async () => {
    const context = await contextOf()
    const { faults, page } = await signedIn(context)
    await page.getByRole("link", { name: "Set-up" }).click()
    await page.getByRole("button", { name: "Calibrate the empty room" }).first().click()
    await page.getByText("Leave the room").waitFor()
    await page.getByText("Stay out of the room").or(page.getByText("Something moved")).waitFor({ timeout: 30_000 })
    expect(await page.getByRole("progressbar").count()).toBeGreaterThan(0)
    expect(faults).toEqual([])
    await context.close()
  })

  it("keeps why an action of the set-up failed when the page is read again", async () => {
    const context = await contextOf()
    const { page } = await signedIn(context)
    const rejected = { status: 502, json: { error: { message: "Not now." } } }
    for (
      const { action, alert, button, method, read } of [
        {
          read: /\/sensing-nodes$/,
          action: /\/environments\/small-room$/,
          method: "PUT",
          button: "Remove from this room",
          alert: page.getByRole("region", { name: "Boards", exact: true }).getByRole("alert"),
        },
        {
          read: /\/system\/calibration\?/,
          action: /\/system\/calibration$/,
          method: "POST",
          button: "Calibrate the empty room",
          alert: page.locator(".calibration").getByRole("alert"),
        },
      ]
    ) {
      const held = Promise.withResolvers<void>()
      await page.route(read, async (route) => {
        await held.promise
        await route.continue()
      })
      await page.route(
        action,
        (route) => route.request().method() === method ? route.fulfill(rejected) : route.continue(),
      )
      await page.getByRole("link", { name: "Live" }).click()
      await page.getByRole("link", { name: "Set-up" }).click()
      await page.getByRole("button", { name: button }).first().click()
      await alert.getByText("Not now.").waitFor()
      const answer = page.waitForResponse(read)
      held.resolve()
      await (await answer).finished()
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
      expect(await alert.textContent()).toBe("Not now.")
      await page.unroute(read)
      await page.unroute(action)
    }
    await context.close()
  })

  it("draws a room and a zone, places a board, undoes, and saves it; the change of another client is not lost", async () => {
    const token = await tokenOf(service)
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    await fetch(`${service.pose}/api/v1/sensing-nodes/node-7/quarantine`, { method: "POST", headers })
    const context = await contextOf()
    const { faults, page } = await signedIn(context)
    await page.getByRole("link", { name: "Set-up" }).click()
    await page.getByLabel("Name of the new room").fill("Workshop")
    await page.getByRole("button", { name: "New room" }).click()
    const sheet = (await page.getByRole("img", { name: /^A blank sheet/ }).boundingBox())!
    await page.mouse.move(sheet.x + 100, sheet.y + 100)
    await page.mouse.down()
    await page.mouse.move(sheet.x + 400, sheet.y + 340, { steps: 4 })
    await page.mouse.up()
    await page.getByLabel("Width, m").fill("13'")
    await page.getByLabel("Depth, m").fill("3.5")
    await page.getByLabel("Depth, m").press("Enter")
    await page.getByLabel("Id of the board").fill("node-7")
    await page.getByRole("button", { name: "Place board" }).click()
    const board = page.getByRole("button", { name: /^node-7 at/ })
    const from = (await board.boundingBox())!
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
    await page.mouse.down()
    await page.mouse.move(from.x + 80, from.y - 60, { steps: 4 })
    await page.mouse.up()
    await page.getByRole("button", { name: "Add zone" }).click()
    const corner = page.getByRole("button", { name: /^Corner 1 of Zone 1 at/ })
    const place = await corner.getAttribute("aria-label")
    await corner.focus()
    // An outline would be metres wide.
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("none")
    await corner.press("Shift+ArrowLeft")
    expect(await corner.getAttribute("aria-label")).not.toBe(place)
    await page.getByRole("button", { name: "Undo" }).click()
    expect(await corner.getAttribute("aria-label")).toBe(place)
    await page.getByLabel("Kind").selectOption("watched")
    // A board that joins meanwhile is no conflict, and stays.
    await page.getByLabel("Id of a board that does not send yet").fill("node-7")
    await page.getByRole("button", { name: "Add by id" }).click()
    const row = page.getByRole("list", { name: "Boards of the room" }).getByRole("listitem").filter({
      hasText: "node-7",
    })
    await row.getByRole("button", { name: "Release from quarantine" }).click()
    await row.getByText("not heard yet").waitFor()
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Saved", { exact: true }).waitFor()
    const path = `${service.pose}/api/v1/environments/workshop`
    const saved = await (await fetch(path, { headers })).json() as Environment
    expect(saved.geometry!.size).toEqual({ x: 3.9624, y: 3.5, z: 2.5 })
    expect(saved.geometry!.nodes).toMatchObject([{ node_id: "node-7" }])
    expect(saved.zones).toMatchObject([{ zone_id: "zone-1", kind: "watched" }])
    expect(saved.routers).toEqual(["node-7"])
    await fetch(path, { method: "PUT", headers, body: JSON.stringify({ name: "Their name" }) })
    await page.getByRole("button", { name: "Add zone" }).click()
    const asked = page.waitForEvent("dialog").then((dialog) => dialog.dismiss())
    await page.getByRole("link", { name: "Live" }).click()
    await asked
    await page.waitForURL(/#\/setup\?room=workshop$/)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Somebody else has changed this room meanwhile").waitFor()
    await page.getByRole("button", { name: "Take theirs" }).click()
    await page.getByRole("link", { name: "Their name" }).waitFor()
    await fetch(path, { method: "DELETE", headers })
    expect(faults).toEqual([])
    await context.close()
  })

  it("names a room that is not active, and removes it after a question", async () => {
    const headers = { authorization: `Bearer ${await tokenOf(service)}`, "content-type": "application/json" }
    const attic = JSON.stringify({ environment_id: "attic", name: "Attic" })
    await fetch(`${service.pose}/api/v1/environments`, { method: "POST", headers, body: attic })
    const context = await contextOf()
    const { faults, page } = await signedIn(context)
    await page.getByRole("link", { name: "Reports" }).click()
    await page.getByRole("link", { name: "Attic" }).click()
    await page.getByText("This room is not active").waitFor()
    const tab = page.getByRole("link", { name: "Attic (not active)" })
    page.once("dialog", (dialog) => void dialog.dismiss())
    await page.getByRole("button", { name: "Remove this room" }).click()
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await tab.count()).toBe(1)
    page.once("dialog", (dialog) => void dialog.accept())
    await page.getByRole("button", { name: "Remove this room" }).click()
    await tab.waitFor({ state: "detached" })
    expect(faults).toEqual([])
    await context.close()
  })

  it("shows what was stored: a strip of minutes, the frames of one by a scrubber, and exports", async () => {
    const context = await contextOf()
    const { faults, page } = await signedIn(context)
    await page.getByText(/^(One person|\d+ persons)/).waitFor({ timeout: 50_000 })
    await page.getByRole("link", { name: "History" }).click()
    await page.getByText(/at most \d; .*simulated$/).waitFor()
    const scrubber = page.getByRole("slider", { name: "Position in the minute" })
    await scrubber.waitFor()
    await scrubber.press("End")
    await page.getByRole("list", { name: "Persons" }).getByRole("listitem").first().waitFor()
    // The whole canvas: where the person is depends on when the test began.
    const drawn = "((canvas) => canvas.getContext('2d')" +
      ".getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0))" +
      "(document.querySelector('.plan canvas'))"
    await eventually(() => page.evaluate(drawn), (isDrawn) => isDrawn === true)
    await scrubber.press("Home")
    await page.getByLabel("Speed").selectOption("60x")
    await page.getByRole("button", { name: "Play" }).click()
    await page.getByRole("button", { name: "Play" }).waitFor()
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^small-room.*\.csv$/)
    expect(readFileSync(await file.path(), "utf8").split("\r\n")).toHaveLength(62)
    await page.getByRole("button", { name: "24 hours" }).click()
    await page.getByRole("slider", { name: "Minute", exact: true }).and(page.locator("[max='1439']")).waitFor()
    await page.getByRole("button", { name: "Show this hour" }).click()
    await page.getByRole("slider", { name: "Minute", exact: true }).and(page.locator("[max='59']")).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it("labels a span of history, says how presence agreed, and saves the file for the scoreboard", async () => {
    const context = await contextOf()
    const { faults, page } = await signedIn(context)
    await page.getByText(/^(Empty|One person|\d+ persons|Presence is not known|Somebody)/).waitFor({ timeout: 50_000 })
    await page.getByRole("link", { name: "History" }).click()
    const strip = (await page.getByRole("img", { name: /^Presence, motion/ }).boundingBox())!
    const y = strip.y + 40
    await page.mouse.move(strip.x + strip.width * 0.6, y)
    await page.mouse.down()
    await page.mouse.move(strip.x + strip.width - 2, y, { steps: 4 })
    await page.mouse.up()
    await page.getByRole("button", { name: "Somebody moved" }).click()
    const label = page.getByRole("list", { name: "Labels" }).getByRole("listitem")
    await label.getByText(/right in \d+ % of the decided time|presence was never decided/).waitFor()
    await page.getByRole("button", { name: "Nobody here" }).click()
    await page.getByText(/overlaps another label/).waitFor()
    await page.getByText("Labels of a recording, for the scoreboard").click()
    await page.getByLabel("File of the recording").fill("room/day.csv")
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save labels.csv" }).click(),
    ])
    const labels = parseLabels(readFileSync(await file.path(), "utf8"))("room/day.csv")
    expect(labels).toMatchObject({ room: "small-room", spans: [{ state: "moving" }] })
    await label.getByRole("button", { name: /^Delete/ }).click()
    await label.waitFor({ state: "detached" })
    expect(faults).toEqual([])
    await context.close()
  })

  it("shows a wall without controls", async () => {
    const context = await contextOf({ size: "wall" })
    const watched = await signedIn(context)
    const { faults, page } = watched
    await page.goto(`${service.pose}/#/wall`)
    await page.locator("main.wall").getByText(/^(Empty|One person|\d+ persons|Presence is not known|Somebody)/).waitFor(
      { timeout: 50_000 },
    )
    expect(await page.locator("button, input, select, a").count()).toBe(0)
    await keepPicture(watched, "wall")
    expect(await accessibilityFaults(page)).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  it.each(Object.keys(sizes) as ReadonlyArray<keyof typeof sizes>)(
    "has no serious accessibility finding and nothing wider than the window: %s",
    async (size) => {
      const context = await contextOf({ size })
      const watched = await signedIn(context)
      const { faults, page } = watched
      for (const name of ["Live", "History", "Alerts", "Reports", "Set-up", "Health", "Settings"]) {
        await page.getByRole("link", { name }).click()
        await page.getByRole("heading", { level: 2 }).first().waitFor()
        if (name === "History") await page.getByRole("slider", { name: "Position in the minute" }).waitFor()
        if (name === "Reports") await page.getByRole("img", { name: /^Number of persons/ }).waitFor()
        if (name === "Settings") await page.getByLabel("Domain").waitFor()
        if (name === "Health") await page.getByRole("heading", { name: "The service" }).waitFor({ timeout: 30_000 })
        if (name === "Set-up") await page.getByRole("toolbar", { name: "Plan" }).waitFor()
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name).toBe(true)
        for (const scheme of schemes) {
          await page.emulateMedia({ colorScheme: scheme })
          expect(await accessibilityFaults(page), `${name}, ${scheme}`).toEqual([])
          await keepPicture(watched, `${name.toLowerCase()}-${size}-${scheme}`)
        }
      }
      expect(faults).toEqual([])
      await context.close()
    },
    // Fourteen examinations, which take half a minute on an idle machine.
    300_000,
  )

  it("says that the connection is lost, and goes on by itself when the service is back", async () => {
    const context = await contextOf()
    const { page } = await signedIn(context)
    await page.getByText(/^(Empty|One person|\d+ persons|Presence is not known|Somebody)/).waitFor({ timeout: 50_000 })
    const { port } = new URL(service.pose)
    await service.stop()
    await page.getByText(/Connecting again in|Connecting…/).waitFor()
    await page.getByText(/^Not connected to the service since/).waitFor({ timeout: 20_000 })
    service = await begin(port)
    await page.getByText(/^(Empty|One person|Presence is not known|Somebody)/).waitFor({ timeout: 50_000 })
    await context.close()
  })
})
