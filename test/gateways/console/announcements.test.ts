/** What a screen reader says on its own. */
import { expect, it } from "vitest"
import { makeAnnouncer } from "../../../gateways/console/web/live/announcer.ts"
import { connectionText } from "../../../gateways/console/web/shell/connection-text.ts"

const rooms = (hall: string, kitchen: string) =>
  new Map(
    [["hall", hall], ["kitchen", kitchen]].map(([id, kind]) => [id!, { name: id!, sentence: kind!, kind: kind! }]),
  )

it("the rooms that changed are announced, at most every five seconds", () => {
  const announce = makeAnnouncer()
  expect(announce(null, 0)).toBe("")
  expect(announce(rooms("Empty", "Empty"), 0)).toBe("")
  expect(announce(rooms("Somebody", "Empty"), 1_000)).toBe("hall: Somebody.")
  expect(announce(rooms("Empty", "Somebody"), 2_000)).toBe("hall: Somebody.")
  expect(announce(null, 6_000)).toBe("hall: Somebody.")
  expect(announce(rooms("Empty", "Somebody"), 6_000)).toBe("hall: Empty. kitchen: Somebody.")
  expect(announce(rooms("Empty", "Somebody"), 20_000)).toBe("hall: Empty. kitchen: Somebody.")
})

it("a lost connection is announced once, however often it is tried again", () => {
  const reason = "The connection was lost."
  const texts = Array.from({ length: 10 }, (_, second) =>
    connectionText(
      second % 5 === 4 ? { state: "connecting", reason } : { state: "waiting", reason, retryAtMs: 10_000 },
      1_000 * second,
    ))
  expect(new Set(texts.map((text) => text?.announced))).toEqual(new Set([reason]))
  expect(texts[0]?.progress).toBe("Connecting again in 10 s.")
  expect(texts[4]?.progress).toBe("Connecting…")
  expect(connectionText({ state: "open" }, 0)).toBeNull()
  expect(connectionText({ state: "connecting", reason: null }, 0)).toEqual({ announced: "Connecting…", progress: "" })
})
