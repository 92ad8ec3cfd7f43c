import { describe, expect, it } from "vitest"
import { roomIdOf } from "../../../gateways/console/web/setup/room-id.ts"

describe("the id of a new room", () => {
  it.each(
    [
      ["Living room", [], "living-room"],
      ["Living room", ["living-room", "living-room-2"], "living-room-3"],
      ["客厅", [], "room"],
      ["Гостиная", ["room"], "room-2"],
      ["a".repeat(80), ["a".repeat(64)], `${"a".repeat(62)}-2`],
    ] as const,
  )("of %s beside %j is %s", (name, taken, id) => {
    expect(roomIdOf(name, new Set(taken))).toBe(id)
  })
})
