/** The console's list of rooms on answers and a clock of the test. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { makeRoomList } from "../../../gateways/console/web/state/room-list.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Longer than the time after which a failed read is repeated. */
const repeatedMs = 40_000
/** Longer than the time between two regular reads. */
const refreshedMs = 400_000

/** A list whose answers the test changes. */
const begin = () => {
  const world = { stored: ["hall"] as ReadonlyArray<string> | Error, inactive: "", reads: 0 }
  const list = makeRoomList(() => {
    world.reads++
    const { stored } = world
    return stored instanceof Error
      ? Promise.reject(stored)
      : Promise.resolve(stored.map((environment_id) => ({ environment_id, active: environment_id !== world.inactive })))
  })
  const shown = () => list.rooms.value?.map(({ environment_id }) => environment_id) ?? null
  const hear = async (environmentId: string) => {
    for (let frame = 0; frame < 100; frame++) {
      list.heard(environmentId)
      if (frame % 10 === 0) await vi.advanceTimersByTimeAsync(0)
    }
  }
  return { hear, list, shown, world }
}

it("a first read that failed is repeated", async () => {
  const { list, shown, world } = begin()
  world.stored = new Error("Busy.")
  await list.load()
  expect([shown(), list.fault.value]).toEqual([null, "Busy."])
  world.stored = ["hall"]
  await vi.advanceTimersByTimeAsync(repeatedMs)
  expect([shown(), list.fault.value]).toEqual([["hall"], null])
})

it("changes of another browser are seen after a while", async () => {
  const { list, shown, world } = begin()
  await list.load()
  world.stored = ["hall", "attic"]
  await vi.advanceTimersByTimeAsync(refreshedMs)
  expect(shown()).toEqual(["hall", "attic"])
})

it("a subscription that begins reads the rooms unless a read runs", async () => {
  const { list, world } = begin()
  const loaded = list.load()
  list.refresh()
  await loaded
  expect(world.reads).toBe(1)
  list.refresh()
  expect(world.reads).toBe(2)
})

it("a read that fails keeps the rooms", async () => {
  const { list, shown, world } = begin()
  await list.load()
  world.stored = new Error("Busy.")
  await list.load()
  expect([shown(), list.fault.value]).toEqual([["hall"], "Busy."])
})

it("the frames of an unknown room cause one read", async () => {
  const { hear, list, shown, world } = begin()
  await list.load()
  await hear("hall")
  expect(world.reads).toBe(1)
  world.stored = ["hall", "attic"]
  await hear("attic")
  expect([shown(), world.reads]).toEqual([["hall", "attic"], 2])
  await hear("of no list")
  expect(world.reads).toBe(3)
})

it("a frame of a room that was not active causes one read", async () => {
  const { hear, list, world } = begin()
  world.inactive = "hall"
  await list.load()
  world.inactive = ""
  await hear("hall")
  expect([list.rooms.value, world.reads]).toEqual([[{ environment_id: "hall", active: true }], 2])
})

it("frames cause no read while one runs or waits for its repetition", async () => {
  const { hear, list, world } = begin()
  const loaded = list.load()
  for (let frame = 0; frame < 100; frame++) list.heard("attic")
  await loaded
  expect(world.reads).toBe(1)
  world.stored = new Error("Too many requests.")
  await list.load()
  await hear("attic")
  expect(world.reads).toBe(2)
})

it("nothing is read or kept after the sign-out", async () => {
  const { list, shown, world } = begin()
  await list.load()
  list.clear()
  await vi.advanceTimersByTimeAsync(refreshedMs)
  expect([shown(), world.reads]).toEqual([null, 1])
})
