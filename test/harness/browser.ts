/**
 * A real Chromium for tests, if it is installed. A browser context records faults: requests to other origins, reports of the content security
 * policy, errors of scripts.
 */
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, BrowserContext, Page } from "playwright-core"

const programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
const program = programs.find(existsSync)

/** Whether Chromium is installed; tests are skipped otherwise. */
export const hasChromium = program !== undefined

/** The package is loaded as CommonJS, because Deno cannot load its module form. */
const { chromium } = createRequire(import.meta.url)("playwright-core") as typeof import("playwright-core")

export const launchChromium = (): Promise<Browser> =>
  // The tests of this project run as root in containers, where Chromium's own sandbox cannot start.
  chromium.launch({ executablePath: program!, args: ["--no-sandbox"] })

export interface WatchedPage {
  readonly page: Page
  /** The recorded faults, in words. */
  readonly faults: ReadonlyArray<string>
}

/** A page that is watched for faults; `origin` is the only one that it may send requests to. */
export const openPage = async (context: BrowserContext, origin: string): Promise<WatchedPage> => {
  const page = await context.newPage()
  const faults: Array<string> = []
  page.on("request", (request) => {
    const { origin: asked, protocol } = new URL(request.url())
    if (protocol.startsWith("http") && asked !== origin) faults.push(`request to ${request.url()}`)
  })
  page.on("pageerror", (error) => faults.push(`error ${error.message}`))
  page.on("console", (message) => {
    if (/Content Security Policy|Content-Security-Policy/.test(message.text())) faults.push(message.text())
  })
  return { page, faults }
}

const axeSource = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

interface AxeResults {
  readonly violations: ReadonlyArray<
    { readonly id: string; readonly impact: string; readonly nodes: ReadonlyArray<{ readonly html: string }> }
  >
}

/** Serious and critical findings of axe on a page, by rule and element. */
export const accessibilityFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  // A script element would be stopped by the policy of the page; an expression of the debugger is not.
  await page.evaluate(readFileSync(axeSource, "utf8"))
  const { violations } = await page.evaluate("axe.run()") as AxeResults
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))
}
