/** The page of troubleshooting quotes the findings of the doctor as they are. */
import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"

const root = new URL("../../../", import.meta.url)
const page = readFileSync(new URL("docs/troubleshooting.md", root), "utf8")
const folder = new URL("gateways/diagnosis/", root)
const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n")

it("every finding that the page quotes is one of the doctor's", () => {
  const quoted = [...page.matchAll(/\*\*([^*]+)\*\*/g)].map((match) => match[1]!).filter((text) => text !== "bold")
  expect(quoted.length).toBeGreaterThan(15)
  expect(quoted.filter((text) => !sources.includes(text))).toEqual([])
})
