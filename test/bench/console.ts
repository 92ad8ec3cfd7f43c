/**
 * How smoothly the console draws eight persons: the real page on a real service in Chromium, without a GPU.
 *
 *     npm run bench:console -- [seconds]
 *
 * The service simulates a party; a script in the page repeats the persons of its frames until there are eight, so that the number does not depend
 * on what is detected. Measured in the page: the time between two pictures, by `requestAnimationFrame`, whose pace headless Chromium sets to
 * 60 Hz; and by its debugger the time of scripts, styles and layout for a picture. Service, bench and browser share the machine, and the browser
 * rasterises in software. Not measured: a phone, a GPU. Writes `results/console.json`.
 */
import { loadavg } from "node:os"
import { hasChromium, launchChromium } from "../harness/browser.ts"
import { openConsole } from "../harness/console.ts"
import { startService } from "../harness/service.ts"
import { machine, rounded, writeResults } from "./harness.ts"

const seconds = Number(process.argv[2] ?? 20)
const personCount = 8
const viewports = [{ width: 1280, height: 800 }, { width: 1920, height: 1080 }, { width: 390, height: 844 }]
/** From the first person until the picture is measured. */
const settleMs = 5_000
/** The room is empty at first. */
const crowdMsMax = 120_000
const lookMs = 250

/**
 * Repeats the persons of each frame, beside themselves, until there are enough. Runs in the page before its own scripts; what it costs is
 * among the time of scripts.
 */
const crowdScript = `{
  const moved = (place, by) => ({ ...place, x: place.x + by, y: place.y + by / 2 })
  const crowded = (persons) =>
    persons.length === 0 ? persons : Array.from({ length: ${personCount} }, (_, i) => {
      const person = persons[i % persons.length]
      const copy = Math.floor(i / persons.length)
      const keypoints_3d = (person.keypoints_3d ?? []).map((joint) => moved(joint, copy * 0.4))
      if (keypoints_3d.length > 0) globalThis.isCrowded = true
      return { ...person, id: person.id + copy, location: moved(person.location, copy * 0.4), keypoints_3d }
    })
  globalThis.WebSocket = class extends WebSocket {
    set onmessage(receive) {
      super.onmessage = ({ data }) => {
        const message = JSON.parse(data)
        if (message.type === "pose_update") message.data.persons = crowded(message.data.persons)
        receive({ data: JSON.stringify(message) })
      }
    }
  }
}`

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!

/** Times between pictures of a page, in milliseconds. The expression runs in the page. */
const intervalsOf = (durationMs: number): string =>
  `new Promise((resolve) => {
    const times = []
    const step = (nowMs) => {
      times.push(nowMs)
      if (nowMs - times[0] < ${durationMs}) requestAnimationFrame(step)
      else resolve(times.slice(1).map((each, i) => each - times[i]))
    }
    requestAnimationFrame(step)
  })`

const measured = ["ScriptDuration", "RecalcStyleDuration", "LayoutDuration", "TaskDuration"] as const

const measureViewport = async (
  browser: Awaited<ReturnType<typeof launchChromium>>,
  url: string,
  viewport: { readonly width: number; readonly height: number },
) => {
  const context = await browser.newContext({ viewport })
  await context.addInitScript(crowdScript)
  const { page } = await openConsole(context, url)
  // The policy of the page forbids Playwright's own way to wait, which evaluates text.
  for (let ms = 0; !(await page.evaluate("globalThis.isCrowded === true")); ms += lookMs) {
    if (ms > crowdMsMax) throw new Error("No person was seen.")
    await page.waitForTimeout(lookMs)
  }
  await page.waitForTimeout(settleMs)
  const debug = await context.newCDPSession(page)
  await debug.send("Performance.enable")
  const read = async () =>
    new Map((await debug.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value]))
  const before = await read()
  const load = loadavg()[0]!
  const intervals = await page.evaluate(intervalsOf(seconds * 1000)) as ReadonlyArray<number>
  const after = await read()
  const canvases = await page.evaluate(
    "[...document.querySelectorAll('canvas')].filter((one) => one.getBoundingClientRect().top < innerHeight).length",
  )
  await context.close()
  const sorted = [...intervals].sort((a, b) => a - b)
  const spentMs = intervals.reduce((sum, each) => sum + each, 0)
  const msAPicture = Object.fromEntries(
    measured.map((name) => [name, rounded(1000 * (after.get(name)! - before.get(name)!) / intervals.length)]),
  )
  return {
    viewport: `${viewport.width}x${viewport.height}`,
    canvases,
    framesPerSecond: rounded(1000 * intervals.length / spentMs),
    intervalMs: {
      median: rounded(quantile(sorted, 0.5)),
      p95: rounded(quantile(sorted, 0.95)),
      max: rounded(sorted.at(-1)!),
    },
    msAPicture,
    loadAverage: rounded(load),
  }
}

if (!hasChromium) throw new Error("Chromium is not installed.")
const service = await startService({ args: ["--demo", "party"], env: { WAVEPOSE_SHEDDING: "on" } })
const browser = await launchChromium()
try {
  const results = []
  for (const viewport of viewports) {
    const result = await measureViewport(browser, service.pose, viewport)
    console.error(JSON.stringify(result))
    results.push(result)
  }
  writeResults("console", { machine, rasterisation: "software", persons: personCount, seconds, results })
} finally {
  await browser.close()
  await service.stop()
}
