import { describe, expect, it } from "vitest"
import { type Write, writeViolationsOf } from "./write-checker.ts"

const write = (content: string, isDone = true, client = "home"): Write => ({ client, content, isDone })

describe("the checker of writes", () => {
  it("finds nothing in writes that are there once, nor in those that failed", () => {
    expect(writeViolationsOf([write("a"), write("b", false), write("c", false), write("d")], ["x", "a", "c", "d"]))
      .toEqual([])
    expect(writeViolationsOf([write("a", true, "one"), write("b", true, "two")], ["b", "a"])).toEqual([])
  })

  it.each([
    ["an answered write that is lost", [write("a"), write("b")], ["a"], /b was answered as done and is lost/],
    ["a write that is stored twice", [write("a")], ["a", "a"], /a is stored 2 times/],
    ["a failed write that is stored twice", [write("a", false)], ["a", "a"], /a is stored 2 times/],
    ["writes in another order", [write("a"), write("b")], ["b", "a"], /b is stored before an earlier write/],
  ])("finds %s", (_, writes, stored, says) => {
    expect(writeViolationsOf(writes, stored)).toEqual([expect.stringMatching(says)])
  })
})
