/**
 * Makes the pictures of the documentation: `npm run screenshots` starts the service with a simulated room and a fixed seed, and writes
 * `docs/console.png`, and with ImageMagick the moving picture `docs/console.webp`.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setInterval } from "node:timers/promises"
import type { Page } from "playwright-core"
import { fileURLToPath } from "node:url"
import { hasChromium, launchChromium } from "../harness/browser.ts"
import { eventually, startService } from "../harness/service.ts"

const folder = fileURLToPath(new URL("../../docs", import.meta.url))
const waitMsMax = 180_000
const kibibytesMax = { still: 200, moving: 1000 }
/** Windows in which the pictures fit without scrolling. */
const sizes = { still: { width: 1200, height: 880 }, moving: { width: 860, height: 900 } }
/** The moving picture: frames of this interval. */
const moving = { frames: 60, intervalMs: 200 }

/** Whether the strip of motion has been drawn for half a minute. */
const stripIsHalfFull = `(() => {
  const canvas = document.querySelector(".strip canvas")
  return canvas.getContext("2d").getImageData(canvas.width / 2, 0, 8, canvas.height).data.some((value) => value > 0)
})()`

/** Ends the command with an error if a picture is too large for a page. */
const checkSize = (path: string, max: number): void => {
  const kibibytes = Math.ceil(statSync(path).size / 1024)
  console.log(`${path}: ${kibibytes} KiB`)
  if (kibibytes > max) throw new Error(`${path} is larger than ${max} KiB. Show less in it.`)
}

/** Takes pictures of the room at an interval and joins them to one. */
const film = async (page: Page, path: string): Promise<void> => {
  const frames = mkdtempSync(join(tmpdir(), "wavepose-film-"))
  const room = page.locator("article.room .views")
  let taken = 0
  for await (const _ of setInterval(moving.intervalMs)) {
    await room.screenshot({ path: join(frames, `${String(taken).padStart(3, "0")}.png`) })
    if (++taken === moving.frames) break
  }
  const delay = ["-delay", String(moving.intervalMs / 10), "-loop", "0"]
  execFileSync("convert", [...delay, join(frames, "*.png"), "-define", "webp:method=6", "-quality", "60", path])
  rmSync(frames, { recursive: true })
}

if (!hasChromium) throw new Error("No browser was found. Install Chromium: apt-get install chromium")
const service = await startService({ args: ["--scenario", "living-room"] })
const browser = await launchChromium()
try {
  const output = await eventually(() => Promise.resolve(service.output()), (text) => text.includes("#/welcome?code="))
  const page = await browser.newPage({ viewport: sizes.moving, colorScheme: "light" })
  mkdirSync(folder, { recursive: true })
  await page.goto(/http:\S+#\/welcome\?code=\S+/.exec(output)![0])
  const persons = page.getByRole("list", { name: "Persons" }).getByRole("listitem")
  await persons.nth(1).waitFor({ timeout: waitMsMax })
  const motion = join(folder, "console.webp")
  await film(page, motion)
  checkSize(motion, kibibytesMax.moving)
  await page.setViewportSize(sizes.still)
  await eventually(() => page.evaluate(stripIsHalfFull), (isFull) => isFull === true, waitMsMax)
  await persons.nth(1).waitFor({ timeout: waitMsMax })
  // A busy machine may be late by seconds.
  await page.locator(".age").waitFor({ state: "hidden", timeout: waitMsMax })
  const still = join(folder, "console.png")
  await page.screenshot({ path: still })
  checkSize(still, kibibytesMax.still)
} finally {
  await browser.close()
  await service.stop()
}
