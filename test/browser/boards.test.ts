/**
 * A maker's first evening in a real Chromium, on a real service without a site: two boards that send recordings, each in another order of
 * subcarriers, are adopted in the console; an empty room and a person are told apart; an alert is acknowledged; the boards fall silent.
 */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../harness/browser.ts"
import { type Board, startBoard } from "../harness/boards.ts"
import { openConsole } from "../harness/console.ts"
import { hasRecordings } from "../harness/recordings.ts"
import { startService, type TestService } from "../harness/service.ts"

const canRun = hasChromium && hasRecordings("pulse_esp32")
/** A busy machine is slow, and presence is decided only after some seconds of data. */
const patienceMs = 90_000

let service: TestService
let browser: Browser
let boards: ReadonlyArray<Board> = []

beforeAll(async () => {
  if (!canRun) return
  service = await startService()
  browser = await launchChromium()
}, 120_000)
afterAll(async () => {
  for (const board of boards) board.stop()
  await browser?.close()
  await service?.stop()
}, 60_000)

describe.skipIf(!canRun)("two boards in the console", () => {
  it(
    "are adopted, tell an empty room from a person, raise an alert, and are missed when they fall silent",
    async () => {
      const { port } = service.datagrams
      boards = [
        startBoard(port, 1, "centre-first", "pulse_esp32/vacio_01.csv"),
        startBoard(port, 2, "ascending", "pulse_esp32/vacio_01.csv"),
      ]
      const { faults, page } = await openConsole(await browser.newContext(), service.pose)
      await page.getByText("No room is set up").waitFor()
      await page.getByRole("link", { name: "Set-up", exact: true }).click()
      await page.getByLabel("Name of the new room").fill("Hall")
      await page.getByRole("button", { name: "New room" }).click()
      const unknown = page.getByRole("list", { name: "Unknown boards" })
      for (const name of ["node-1", "node-2"]) {
        await unknown.getByRole("listitem").filter({ hasText: name }).getByRole("button", { name: "Adopt" })
          .click({ timeout: patienceMs })
        await page.getByRole("list", { name: "Boards of the room" }).getByText(name).waitFor({ timeout: patienceMs })
      }
      await page.getByText("No unknown board is sending").waitFor({ timeout: patienceMs })
      await page.getByRole("link", { name: "Live" }).click()
      await page.getByText(/^Empty, sure/).waitFor({ timeout: patienceMs })

      await page.getByRole("link", { name: "Settings" }).click()
      await page.getByLabel("Intrusion detection: Armed").selectOption("yes")
      await page.getByRole("button", { name: "Save one change" }).click()
      await page.getByText(/^Saved\./).waitFor()

      for (const board of boards) board.play("pulse_esp32/mov_01.csv")
      await page.getByRole("link", { name: "Live" }).click()
      await page.getByText(/^Somebody is here, moving/).waitFor({ timeout: patienceMs })
      await page.getByRole("link", { name: "One alert is open" }).click({ timeout: patienceMs })
      await page.getByRole("heading", { name: "Intrusion" }).waitFor()
      await page.getByRole("button", { name: "Acknowledge" }).click()
      await page.getByText("acknowledged").waitFor()

      for (const board of boards) board.stop()
      boards = []
      await page.getByRole("link", { name: "Live" }).click()
      await page.getByText(/^Late by/).waitFor({ timeout: patienceMs })
      await page.getByText(/^Silent for/).waitFor({ timeout: patienceMs })
      await page.getByText(/^Last heard/).waitFor()
      // The source is late, and the service is not lost.
      expect(await page.getByText(/Connecting/).count()).toBe(0)
      await page.getByRole("link", { name: "Health" }).click()
      await page.getByText(/its last packet arrived \d+ s ago/).first().waitFor({ timeout: patienceMs })
      expect(faults).toEqual([])
    },
    600_000,
  )
})
