/**
 * The thread of a coverage simulation: takes its request as data, reports the progress, and ends with the figures or the reason of a failure.
 */
import { parentPort } from "node:worker_threads"
import type { CoverageOutcome, CoverageRequest } from "../../protocols/ports/coverage-simulations.ts"
import { simulateCoverage } from "./simulate-coverage.ts"

const say = (outcome: CoverageOutcome): void => parentPort!.postMessage(outcome)

/** Progress is reported in steps of this share. */
const stepShare = 0.01

let reported = 0
const progressed = (progress: number): void => {
  if (progress - reported < stepShare) return
  reported = progress
  say({ state: "running", progress })
}

// A listener keeps the thread alive until it is ended from outside, so that its last message arrives first.
parentPort!.on("message", (request: CoverageRequest) =>
  void simulateCoverage(request, progressed).then(
    (result) => say({ state: "done", result }),
    (cause: unknown) => say({ state: "failed", reason: cause instanceof Error ? cause.message : String(cause) }),
  ))
