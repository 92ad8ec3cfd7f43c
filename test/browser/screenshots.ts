/**
 * Makes the pictures of the documentation: `npm run screenshots` starts the service with a simulated room and a fixed seed, and writes
 * `docs/console.png`.
 */
import { mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { hasChromium, launchChromium } from "../harness/browser.ts"
import { eventually, startService } from "../harness/service.ts"

const folder = fileURLToPath(new URL("../../docs", import.meta.url))
const waitMsMax = 180_000
const kibibytesMax = 150

/** Whether the strip of motion has been drawn for half a minute. */
const stripIsHalfFull = `(() => {
  const canvas = document.querySelector(".strip canvas")
  return canvas.getContext("2d").getImageData(canvas.width / 2, 0, 8, canvas.height).data.some((value) => value > 0)
})()`

if (!hasChromium) throw new Error("No browser was found. Install Chromium: apt-get install chromium")
const service = await startService({ args: ["--scenario", "small-room", "--seed", "7"] })
const browser = await launchChromium()
try {
  const output = await eventually(() => Promise.resolve(service.output()), (text) => text.includes("#/welcome?code="))
  const page = await browser.newPage({ viewport: { width: 1200, height: 850 }, colorScheme: "light" })
  await page.goto(/http:\S+#\/welcome\?code=\S+/.exec(output)![0])
  const persons = page.getByRole("list", { name: "Persons" }).getByRole("listitem")
  await persons.first().waitFor({ timeout: waitMsMax })
  await eventually(() => page.evaluate(stripIsHalfFull), (isFull) => isFull === true, waitMsMax)
  await persons.first().waitFor({ timeout: waitMsMax })
  // A busy machine may be late by seconds.
  await page.locator(".age").waitFor({ state: "hidden", timeout: waitMsMax })
  mkdirSync(folder, { recursive: true })
  const path = join(folder, "console.png")
  await page.screenshot({ path })
  const kibibytes = Math.ceil(statSync(path).size / 1024)
  console.log(`${path}: ${kibibytes} KiB`)
  if (kibibytes > kibibytesMax) throw new Error(`${path} is larger than ${kibibytesMax} KiB. Show less in it.`)
} finally {
  await browser.close()
  await service.stop()
}
