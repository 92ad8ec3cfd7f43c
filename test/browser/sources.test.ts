/**
 * The console in a real Chromium: two people who move in the simulated living room, the parts of the service, and a replay, which is drawn
 * in its own way. With `WAVEPOSE_SCREENSHOTS` set to a folder, it keeps pictures.
 */
import type { Browser, Page } from "playwright-core"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { accessibilityFaults, hasChromium, launchChromium } from "../harness/browser.ts"
import { openConsole } from "../harness/console.ts"
import { hasRecordings, recordingFile } from "../harness/recordings.ts"
import { eventually, startService } from "../harness/service.ts"

const screenshots = process.env["WAVEPOSE_SCREENSHOTS"]
/** A busy machine is slow, and the second person comes after 20 s. */
const patienceMs = 180_000

let browser: Browser
beforeAll(async () => {
  if (hasChromium) browser = await launchChromium()
}, 60_000)
afterAll(() => browser?.close())

const keepPicture = async (page: Page, name: string): Promise<void> => {
  if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
}

/** The places of the persons of the list, by their letters. */
const placesIn = async (page: Page): Promise<ReadonlyMap<string, string>> => {
  const lines = await page.getByRole("list", { name: "Persons" }).getByRole("listitem").allTextContents()
  return new Map(lines.flatMap((line) => {
    const parts = /^([A-Z]) \w+ at (-?\d+\.\d, -?\d+\.\d) m/.exec(line)
    return parts === null ? [] : [[parts[1]!, parts[2]!]]
  }))
}

describe.skipIf(!hasChromium)("the simulated living room in the console", () => {
  it("has two people who move, and the settings show nodes, plugins and the card of the model", async () => {
    const service = await startService({ args: ["--scenario", "living-room"] })
    try {
      const { faults, page } = await openConsole(await browser.newContext(), service.pose)
      const first = await eventually(() => placesIn(page), (places) => places.size === 2, patienceMs)
      const seen = new Map([...first].map(([letter, place]) => [letter, new Set([place])]))
      // A person may sit down, and a track may end: it is enough that two letters were seen at two places.
      await eventually(
        async () => {
          for (const [letter, place] of await placesIn(page)) {
            seen.set(letter, (seen.get(letter) ?? new Set()).add(place))
          }
          return [...seen.values()].filter((places) => places.size > 1).length
        },
        (moved) => moved >= 2,
        patienceMs,
      )
      await keepPicture(page, "two-persons")

      await page.goto(`${service.pose}/#/settings?part=parts`)
      await page.getByText("This node is alone").waitFor({ timeout: patienceMs })
      await page.getByRole("rowheader", { name: "wavepose", exact: true }).or(page.getByText("No plugin is installed"))
        .first().waitFor()
      await page.getByText(/^Card of wavepose-/).click()
      await page.getByRole("rowheader", { name: "MPJPE, pelvis-aligned, mm" }).first().waitFor()
      expect(await accessibilityFaults(page)).toEqual([])
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
      await keepPicture(page, "parts")
      expect(faults).toEqual([])
    } finally {
      await service.stop()
    }
  }, 420_000)
})

const name = "pulse_esp32/mov_01.csv"

describe.skipIf(!hasChromium || !hasRecordings("pulse_esp32"))("a replay in the console", () => {
  it("has striped frames and the name of its file, live and in the history", async () => {
    const service = await startService({ args: ["--replay", recordingFile(name), "--loop"] })
    try {
      const { faults, page } = await openConsole(await browser.newContext(), service.pose)
      const room = page.locator("article.source-replay")
      await room.getByText("mov_01.csv", { exact: true }).waitFor()
      await room.getByText(/^Somebody is here/).waitFor({ timeout: patienceMs })
      expect(await page.evaluate("getComputedStyle(document.querySelector('.source-replay')).borderImageSource"))
        .toMatch(/^repeating-linear-gradient\(90deg/)
      await page.getByRole("banner").getByText("Replay of recordings").waitFor()
      await keepPicture(page, "replay")
      await page.getByRole("link", { name: "History" }).click()
      await page.getByText(/; .*replay$/).first().waitFor({ timeout: patienceMs })
      expect(await accessibilityFaults(page)).toEqual([])
      expect(faults).toEqual([])
    } finally {
      await service.stop()
    }
  }, 420_000)
})
