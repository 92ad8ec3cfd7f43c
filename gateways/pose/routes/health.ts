/**
 * Handler of the group Health and metrics.
 */
import { Cause, Clock, Effect } from "effect"
import { health, storeSilentText, systemSilentText } from "../../../protocols/pose-api/health.ts"
import { summarise } from "../../../protocols/pose-api/system-status.ts"
import { DatabaseHealth } from "../../../protocols/ports/database-health.ts"
import { isLastResort, KernelReports } from "../../../protocols/ports/kernel-report.ts"
import { route } from "../server/route.ts"
import { checkDisk, type DataDisk } from "../telemetry/readiness.ts"
import { SystemReporter } from "../telemetry/system-report.ts"

/** How long the store has to answer before health is `degraded`. */
const storeLimit = "1 second"
/** How long the system has to answer before health is `degraded`. The session and then each environment have two seconds. */
const reportLimit = "5 seconds"
/** How long an answer of the store and the system is cached. */
const checkedFor = "1 second"

const slowKernelsText = "This node computes with typed arrays, which are many times slower than WebAssembly. " +
  "The doctor says which backend was lost or rejected, and why."

/** Routes of health. The uptime counts from this call. `dataDisk` null: the node stores nothing on its own disk. */
export const makeHealthRoutes = Effect.fnUntraced(function* (version: string, dataDisk: DataDisk | null) {
  const servingSinceMs = yield* Clock.currentTimeMillis
  const database = yield* DatabaseHealth
  const storeAnswers = yield* database.check.pipe(
    Effect.timeout(storeLimit),
    Effect.as(true),
    Effect.catchCause((cause) => Effect.as(Effect.logDebug("the store did not answer a health check", cause), false)),
    Effect.cachedWithTTL(checkedFor),
  )
  const full = yield* Effect.cachedWithTTL(dataDisk === null ? Effect.succeed(null) : checkDisk(dataDisk), checkedFor)
  const { report } = yield* SystemReporter
  const lateTexts = yield* report.pipe(
    Effect.timeout(reportLimit),
    Effect.map((answered) => summarise(answered).late),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logDebug("the system did not answer a health check", Cause.pretty(cause)), [systemSilentText])
    ),
    Effect.cachedWithTTL(checkedFor),
  )
  const kernels = yield* KernelReports
  const slowKernels = Effect.map(
    kernels.current,
    (report) => report === null || !isLastResort(report) ? [] : [slowKernelsText],
  )
  return [
    route(health, () =>
      Effect.gen(function* () {
        const [answers, disk, late] = yield* Effect.all([storeAnswers, full, lateTexts], { concurrency: 3 })
        const store = answers ? [] : [storeSilentText]
        const reasons = [...(disk === null ? [] : [disk]), ...store, ...(yield* slowKernels), ...late]
        const status = reasons.length === 0 ? "healthy" as const : "degraded" as const
        const nowMs = yield* Clock.currentTimeMillis
        return { status, reasons, version, uptimeS: Math.max(0, Math.floor((nowMs - servingSinceMs) / 1000)) }
      })),
  ]
})
