/**
 * Coverage simulations in a thread of this process, one at a time.
 *
 * Invariants: a simulation ends after `timeMsMax`; the newest results of `jobsMax` environments are kept; the end of the layer ends the thread.
 */
import { Clock, Effect, Layer } from "effect"
import { Worker } from "node:worker_threads"
import { SystemConflict } from "../../protocols/domain/failure.ts"
import {
  type CoverageJob,
  type CoverageOutcome,
  type CoverageRequest,
  CoverageSimulations,
} from "../../protocols/ports/coverage-simulations.ts"

const timeMsMax = 900_000
const jobsMax = 32
const heapMibMax = 512

/** Runs one request in a thread; resolves to its outcome, also when the thread fails or time is up. */
const runInThread = (request: CoverageRequest, heard: (outcome: CoverageOutcome) => void, signal: AbortSignal) =>
  new Promise<CoverageOutcome>((resolve) => {
    const worker = new Worker(new URL("./coverage-worker.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMibMax },
    })
    const end = (outcome: CoverageOutcome): void => {
      // First: the end of the thread is an outcome too, on Deno at once.
      resolve(outcome)
      void worker.terminate()
    }
    signal.addEventListener("abort", () => end({ state: "failed", reason: "The simulation was stopped." }), {
      once: true,
    })
    worker.on("message", (outcome: CoverageOutcome) => outcome.state === "running" ? heard(outcome) : end(outcome))
    worker.once("error", (cause) => end({ state: "failed", reason: `The simulation failed: ${String(cause)}` }))
    worker.once("exit", () => end({ state: "failed", reason: "The simulation ended without a result." }))
    worker.postMessage(request)
  })

const tooLong: CoverageOutcome = {
  state: "failed",
  reason: `The simulation took longer than ${timeMsMax / 60_000} minutes. Simulate a smaller room, or fewer boards.`,
}

export const layerCoverageSimulations = Layer.effect(
  CoverageSimulations,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const jobs = new Map<string, CoverageJob>()
    let running: { readonly environmentId: string; readonly stop: AbortController } | null = null
    const keep = (job: CoverageJob): void => {
      jobs.delete(job.request.environmentId)
      jobs.set(job.request.environmentId, job)
      if (jobs.size > jobsMax) jobs.delete(jobs.keys().next().value!)
    }
    const run = (job: CoverageJob, stop: AbortController) =>
      Effect.promise(() => runInThread(job.request, (outcome) => keep({ ...job, outcome }), stop.signal)).pipe(
        Effect.timeoutOrElse({ duration: timeMsMax, orElse: () => Effect.succeed(tooLong) }),
        Effect.ensuring(Effect.sync(() => stop.abort())),
        Effect.tap((outcome) =>
          Effect.sync(() => {
            // The outcome of a simulation that was replaced is dropped.
            if (running?.stop !== stop) return
            running = null
            keep({ ...job, outcome })
          })
        ),
      )
    const start = Effect.fnUntraced(function* (request: CoverageRequest) {
      if (running !== null && running.environmentId !== request.environmentId) {
        return yield* new SystemConflict({
          status: "simulating",
          message: `The coverage of "${running.environmentId}" is being simulated. Try again when it is done.`,
        })
      }
      running?.stop.abort()
      const stop = new AbortController()
      const startedAtMs = yield* Clock.currentTimeMillis
      const job: CoverageJob = { request, startedAtMs, outcome: { state: "running", progress: 0 } }
      running = { environmentId: request.environmentId, stop }
      keep(job)
      yield* Effect.forkIn(run(job, stop), scope)
      return job
    })
    return { start, newest: (environmentId) => Effect.sync(() => jobs.get(environmentId) ?? null) }
  }),
)
