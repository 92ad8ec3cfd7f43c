/**
 * How long the reports take over 30 days of three environments at 10 frames/s: 129,600 minutes of frames, 9,000 tracks and 54,720
 * events, on the embedded database and, where there is one, on PostgreSQL.
 *
 *     npm run bench:analytics
 *
 * Measures from the handler's call to the JSON text, without HTTP. The target is 200 ms. The embedded database runs in this process, so its
 * CPU time beside the wall time tells what else the machine did. What is not measured: other load on the database, and the first call
 * after a start, whose pages are not in memory.
 */
import { Effect, ManagedRuntime } from "effect"
import { layerStores } from "../../deploy/composition/service.ts"
import { analyticsRoutes } from "../../gateways/pose/routes/analytics/routes.ts"
import type { Route } from "../../gateways/pose/server/route.ts"
import { embeddedDatabase, postgresDatabase, type TestDatabase } from "../harness/database.ts"
import { storeDays } from "../harness/stored-days.ts"
import { type Contender, inProcess, interleave, machine, roundedSpread, spreadOf, writeResults } from "./harness.ts"

const fromMs = Date.UTC(2026, 5, 1)
const days = 30
const environmentIds = ["home", "shop", "office"]
const rounds = 5
const targetMs = 200

const times = `start_time=2026-06-01T00:00:00Z&end_time=2026-07-01T00:00:00Z`
const reports: Record<string, string> = {
  healthcare: "period=month&date=2026-06-01",
  retail: "period=month&date=2026-06-01",
  security: "period=month&date=2026-06-01",
  "summary by hour": `${times}&granularity=hour`,
  "summary of unaligned times": "start_time=2026-06-01T00:02:30Z&end_time=2026-06-30T23:58:10Z&granularity=day",
  "occupancy by 5 minutes": `${times}&interval=5min`,
  "occupancy by 15 minutes": `${times}&interval=15min`,
  "occupancy of one by the hour": `${times}&interval=1hour&environment_id=home`,
  events: `${times}&event_type=activity`,
}

const measure = async (database: TestDatabase) => {
  const runtime = ManagedRuntime.make(layerStores(database.location))
  type Stores = ManagedRuntime.ManagedRuntime.Services<typeof runtime>
  await runtime.runPromise(storeDays({ fromMs, days, environmentIds, tracks: 100, falls: 2, intrusions: 6 }))
  const routes = analyticsRoutes({ errorsWithin: () => "not counted here" }) as ReadonlyArray<Route<Stores>>
  const contenders = Object.entries(reports).map(([name, query]): Contender => {
    const route = routes.find(({ endpoint }) => endpoint.path === `/analytics/${name.split(" ")[0]}`)!
    const read = route.readQuery.bare(new URLSearchParams(query))
    if (read._tag === "Failure") throw read.failure
    return inProcess(name, () =>
      runtime.runPromise(Effect.map(
        route.handle({
          params: null,
          query: read.success,
          body: null,
          caller: null,
          isSecure: () => false,
          clientAddress: () => "",
          ifMatch: null,
          header: () => undefined,
        }),
        (value) => route.endpoint.response!.bare.text(value, fromMs).length,
      )))
  })
  const { cpuMs, wallMs } = await interleave(contenders, { rounds, budgetMs: 1 })
  await runtime.dispose()
  await database.stop()
  return Object.fromEntries([...wallMs].map(([name, ms]) => [name, {
    wallMs: roundedSpread(spreadOf(ms)),
    cpuMs: roundedSpread(spreadOf(cpuMs.get(name)!)),
  }]))
}

const postgres = await postgresDatabase()
const results = {
  machine,
  targetMs,
  embedded: await measure(await embeddedDatabase()),
  postgres: postgres === null ? null : await measure(postgres),
}
writeResults("analytics", results)
console.log(JSON.stringify(results, null, 2))
