import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { sensingServices } from "../../../../actors/home/services/sensing.ts"
import type { HomeContext, JsonObject } from "../../../../protocols/domain/home.ts"
import { routersToCalibrate } from "../../../../protocols/messages/router.ts"
import { Directory } from "../../../../protocols/ports/directory.ts"
import { runActors } from "../../../harness/actors.ts"
import { simulatedRoom } from "../../../harness/simulated-room.ts"
import { useDatabase } from "../../../harness/stores.ts"

const startMs = Date.UTC(2026, 0, 1)
const context: HomeContext = { id: "context-1", parentId: null, userId: "user-1" }

it("a failure names eight of the routers that a calibration cannot ask", async () => {
  const routers = Array.from({ length: 20 }, (_, i) => ({ routerId: `r-${i}`, state: "lost" as const }))
  const { routerIds } = await Effect.runPromise(Effect.flip(routersToCalibrate(routers)))
  expect(routerIds).toEqual(routers.slice(0, 8).map(({ routerId }) => routerId))
  expect(await Effect.runPromise(routersToCalibrate([...routers, { routerId: "new", state: "idle" }]))).toEqual(["new"])
  expect(await Effect.runPromise(routersToCalibrate([]))).toEqual([])
})

describe("the calibration of the home", () => {
  const database = useDatabase()

  it("leaves out routers that went silent, and is refused if all did", () =>
    runActors(
      { location: database().location, startMs, seed: "seed" },
      Effect.gen(function* () {
        let silent = "none"
        const sends = (routerId: string): boolean => routerId !== silent
        const room = yield* simulatedRoom({ name: "small-room", startMs, sends })
        yield* (yield* Directory).enrol(room.environment, room.routerIds)
        const service = (yield* sensingServices).find(({ name }) => name === "calibrate")!
        const calibrate = (data: JsonObject) => Effect.flatten(service.prepare(data, { context, returnResponse: true }))
        yield* room.sendHop
        yield* TestClock.adjust("3 seconds")
        yield* TestClock.adjust("30 seconds")
        expect(yield* Effect.flip(calibrate({}))).toMatchObject({ message: expect.stringContaining("No packet comes") })
        silent = room.routerIds[0]!
        yield* room.sendHop
        expect(yield* calibrate({})).toMatchObject({ routers: room.routerIds.slice(1) })
        const states = yield* Effect.forEach(room.routerIds, (routerId) => room.router(routerId).Describe())
        expect(states.map(({ calibration }) => calibration.running !== null)).toEqual(
          room.routerIds.map((routerId) => routerId !== silent),
        )
      }),
    ))
})
