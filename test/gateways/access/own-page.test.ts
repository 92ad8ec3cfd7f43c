import { describe, expect, it } from "vitest"
import { isOfOwnPage } from "../../../gateways/access/own-page.ts"

describe("a request of the service's own page", () => {
  it.each(
    [
      ["one of a script", {}, true],
      ["a page's own, over HTTPS", { "sec-fetch-site": "same-origin" }, true],
      ["a typed address, over HTTPS", { "sec-fetch-site": "none" }, true],
      ["another port's, over HTTPS", { "sec-fetch-site": "same-site", origin: "http://sensor:8000" }, false],
      ["another site's, over HTTPS", { "sec-fetch-site": "cross-site" }, false],
      ["a page's own change, over HTTP", { origin: "http://sensor:8000" }, true],
      ["another port's, over HTTP", { origin: "http://sensor:8123" }, false],
      ["that of a page without an origin", { origin: "null" }, false],
      ["a page's own, behind a proxy", { origin: "http://home:8123", "x-forwarded-host": "home:8123" }, true],
    ] as const,
  )("is told from %s", (_, headers, expected) => {
    const all = new Map<string, string>([["host", "sensor:8000"], ...Object.entries(headers)])
    expect(isOfOwnPage((name) => all.get(name))).toBe(expected)
  })
})
