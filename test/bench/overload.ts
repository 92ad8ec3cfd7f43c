/**
 * Overload: the age of the frames of the default home beside busy processes, how soon it is real time again, and which falls are noticed.
 *
 *     npm run bench:overload -- [busy processes] [seconds] [name of the results] [scenario] [niceness]
 *
 * The niceness is that of the service's sessions: 0, the usual share, or e.g. -7, five times the usual, which `npm start` gives where the user may
 * (`deploy/launcher/processor-share.mjs`). For falls, take the scenario `falls` and 200 seconds. Their alerts do not wait here
 * (`notification_delay_seconds` 0); the delay is the arrival of the alert less the true impact, which comes from the same simulation without a
 * service.
 *
 * Each busy process has a session of its own, so that the scheduler counts it like the service. The age is the arrival of a frame at a
 * WebSocket client of this process less the end of its hop; both use the clock of this machine. Writes `results/overload.json`.
 * `results/overload-busy-machine.json` is of a machine on which 19 other processes ran as well.
 */
import { spawn } from "node:child_process"
import { loadavg } from "node:os"
import { setTimeout } from "node:timers/promises"
import { WebSocket } from "ws"
import { setShare } from "../../deploy/launcher/processor-share.mjs"
import { main, signIn, startService } from "../harness/service.ts"
import { machine, median, rounded, writeResults } from "./harness.ts"
import { trueFallsMs } from "./true-falls.ts"

const busy = Number(process.argv[2] ?? 8)
const loadS = Number(process.argv[3] ?? 60)
const resultsName = process.argv[4] ?? "overload"
const scenario = process.argv[5] ?? "home"
const niceness = Number(process.argv[6] ?? 0)
const quietS = 20
const afterS = 20
const lateMs = 2_000

interface Age {
  readonly atMs: number
  readonly ageMs: number
  readonly room: string
}

/** What else the machine does, as its load average before the run. */
const backgroundLoad = rounded(loadavg()[0]!)
const service = await startService({ args: ["--scenario", scenario], env: { WAVEPOSE_SHEDDING: "on" } })
const api = await signIn(service)
setShare(service.process.pid!, main, niceness)
await api.put("/config", { alerts: { fall_detection: { notification_delay_seconds: 0 } } })
const ages: Array<Age> = []
const alerts: Array<{ readonly atMs: number; readonly beganMs: number }> = []
const socket = new WebSocket(`${service.pose.replace("http", "ws")}/ws/pose?token=${api.token}`)
socket.on("message", (bytes) => {
  const message = JSON.parse(String(bytes))
  const nowMs = Date.now()
  if (message.type === "alert" && message.alert_type === "fall_detection") {
    alerts.push({ atMs: nowMs, beganMs: Date.parse(message.metadata.began_at) })
  }
  if (message.type !== "pose_update") return
  ages.push({ atMs: nowMs, ageMs: nowMs - Date.parse(message.timestamp), room: message.environment_id })
})
await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
for (const channel of ["pose_updates", "alerts"]) socket.send(JSON.stringify({ type: "subscribe", channel }))

interface Health {
  readonly status: string
  readonly reasons: ReadonlyArray<string>
}

const health = async (): Promise<Health> => {
  const { reasons, status } = await (await fetch(`${service.pose}/api/v1/health`)).json() as Health
  return { status, reasons }
}

const figures = (fromMs: number, untilMs: number) => {
  const sorted = ages.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs).map(({ ageMs }) => ageMs).sort((a, b) =>
    a - b
  )
  return {
    framesPerSecond: rounded(1000 * sorted.length / (untilMs - fromMs)),
    ageMs: {
      median: Math.round(median(sorted)),
      p95: Math.round(sorted[Math.floor(0.95 * sorted.length)]!),
      max: Math.round(sorted.at(-1)!),
    },
  }
}

/** Impact and alert are of the same fall if they are so near to each other. */
const sameFallMs = 2_000

/** The falls from a time on whose alert would have come until another time. */
const fallsOf = async (fromMs: number, untilMs: number) => {
  // The first frame is of the first hop of the simulation.
  const { poses: [first] } = (await api.get("/pose/history?limit=1")).body
  const startMs = Date.parse(first.timestamp) - 100
  const all = await trueFallsMs(scenario, startMs, untilMs)
  const falls = all.filter((ms) => ms >= fromMs && ms < untilMs - 5_000)
  const isOf = (ms: number) => ({ beganMs }: { readonly beganMs: number }) => Math.abs(beganMs - ms) < sameFallMs
  const isFalse = (alert: { readonly beganMs: number }) =>
    alert.beganMs >= fromMs && alert.beganMs < untilMs && !all.some((ms) => isOf(ms)(alert))
  const delaysMs = falls.flatMap((ms) => {
    const alert = alerts.find(isOf(ms))
    return alert === undefined ? [] : [Math.round(alert.atMs - ms)]
  })
  const falseAtS = alerts.filter(isFalse).map(({ beganMs }) => rounded((beganMs - startMs) / 1000))
  return { falls: falls.length, falseAlerts: falseAtS.length, falseAtS, alertDelaysMs: delaysMs }
}

await setTimeout(quietS * 1000)
const loadedMs = Date.now()
const before = await health()
const loads = Array.from(
  { length: busy },
  () => spawn("setsid", ["timeout", String(loadS), "sh", "-c", "while :; do :; done"], { stdio: "ignore" }),
)
await setTimeout(loadS * 1000 * 0.75)
const during = await health()
await Promise.all(loads.map((load) => new Promise((resolve) => load.once("exit", resolve))))
const freedMs = Date.now()
await setTimeout(afterS * 1000)
const endMs = Date.now()
const after = await health()
const lastLateMs = ages.findLast(({ ageMs, atMs }) => atMs >= freedMs && ageMs > lateMs)?.atMs ?? freedMs
const diagnostics = await api.get("/system/diagnostics")
const results = {
  machine,
  backgroundLoad,
  scenario,
  busyProcesses: busy,
  niceness,
  loadS,
  before: { ...figures(loadedMs - quietS * 500, loadedMs), health: before },
  during: { ...figures(loadedMs, freedMs), health: during, ...await fallsOf(loadedMs, freedMs) },
  after: { ...figures(freedMs, endMs), health: after, lastLateFrameMs: lastLateMs - freedMs },
  pace: diagnostics.body.environments?.map(({ environment_id, pace }: Record<string, unknown>) => ({
    environment_id,
    pace,
  })),
}
console.log(JSON.stringify(results, null, 2))
writeResults(resultsName, results)
socket.terminate()
await service.stop()
process.exit(0)
