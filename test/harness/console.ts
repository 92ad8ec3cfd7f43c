/** A signed-in console in a browser. */
import type { BrowserContext } from "playwright-core"
import { openPage, type WatchedPage } from "./browser.ts"
import { adminPassword } from "./service.ts"

/** Opens the console of a service and signs in as its administrator. */
export const openConsole = async (context: BrowserContext, origin: string): Promise<WatchedPage> => {
  const watched = await openPage(context, origin)
  const { page } = watched
  await page.goto(origin)
  await page.getByLabel("Name").fill("admin")
  await page.getByLabel("Password").fill(adminPassword)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("navigation").waitFor()
  return watched
}
