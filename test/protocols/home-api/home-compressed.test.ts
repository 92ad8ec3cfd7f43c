import { describe, expect, it } from "vitest"
import { addedText, changesTexts, difference, firstText } from "../../../protocols/home-api/home-compressed.ts"
import { homeChange, homeFired, homeState } from "../../harness/home-states.ts"

const user = (id: string, userId: string | null, parentId: string | null = null) => ({ id, userId, parentId })

describe("compressed states", () => {
  it("name the context by its id where that says all, and the update where it is another time", () => {
    const state = homeState("x.a", "1", { attributes: { a: 1 }, lastUpdatedUs: 1_500_000 })
    expect(JSON.parse(addedText(state))).toEqual({ s: "1", a: { a: 1 }, c: "x.a=1", lc: 1, lu: 1.5 })
    const ofUser = { ...state, context: user("c", "u"), lastUpdatedUs: 1_000_000 }
    expect(JSON.parse(addedText(ofUser))).toEqual({
      s: "1",
      a: { a: 1 },
      c: { id: "c", parent_id: null, user_id: "u" },
      lc: 1,
    })
  })

  it("contain only the differences", () => {
    const before = homeState("x.a", "1", { attributes: { kept: [1], changed: { x: 1 }, gone: 1 } })
    const changed = {
      ...before,
      state: "2",
      attributes: { kept: [1], changed: { x: 2 }, added: null },
      lastChangedUs: 2_000_000,
      lastUpdatedUs: 2_000_000,
      context: user("new", null),
    }
    expect(difference(before, changed)).toEqual({
      "+": { s: "2", lc: 2, c: "new", a: { changed: { x: 2 }, added: null } },
      "-": { a: ["gone"] },
    })
    const updated = { ...before, lastUpdatedUs: 2_000_000, context: user(before.context.id, "u", "p") }
    expect(difference(before, updated)).toEqual({ "+": { lu: 2, c: { parent_id: "p", user_id: "u" } } })
    expect(difference(before, before)).toEqual({ "+": {} })
  })

  it("come together in one event, each entity once", () => {
    const [a1, a2, b1, b2, c1] = [
      homeState("x.a", "1"),
      homeState("x.a", "2"),
      homeState("x.b", "1"),
      homeState("x.b", "2"),
      homeState("x.c", "1"),
    ]
    expect(JSON.parse(firstText([a1, b1]))).toEqual({
      a: { "x.a": JSON.parse(addedText(a1)), "x.b": JSON.parse(addedText(b1)) },
    })
    expect(firstText([])).toBe('{"a":{}}')
    const texts = changesTexts([
      homeChange(a1, a2),
      homeFired("e"),
      homeChange(null, b1),
      homeChange(c1, null),
      homeChange(b1, b2),
    ]).map((text) => JSON.parse(text))
    expect(texts).toEqual([
      {
        a: { "x.b": JSON.parse(addedText(b1)) },
        c: { "x.a": { "+": { s: "2", c: "x.a=2" } } },
        r: ["x.c"],
      },
      { c: { "x.b": { "+": { s: "2", c: "x.b=2" } } } },
    ])
    expect(changesTexts([homeFired("e")])).toEqual([])
  })
})
