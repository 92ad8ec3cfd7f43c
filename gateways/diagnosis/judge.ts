/**
 * Judges two examinations of a running service: returns the findings and what to do.
 *
 * Pure. Two examinations some seconds apart distinguish the present from the past.
 */
import { sheddingAdvice } from "../../protocols/domain/shedding.ts"
import type { DiagnosticsBody } from "../../protocols/pose-api/diagnostics.ts"
import type { Finding } from "../../protocols/pose-api/findings.ts"
import { concerning, ok, problem, unknown } from "./finding.ts"
import { judgeDatagrams } from "./judge-datagrams.ts"
import { judgeRouters } from "./judge-routers.ts"

const system = ({ system, system_reason: reason }: DiagnosticsBody): Finding => {
  const check = "system"
  if (system === null) return unknown(check, reason ?? "the session does not answer", "See the other findings.")
  const { failure, status } = system
  if (status === "running") return ok(check, "running")
  if (status === "error") {
    return problem(
      check,
      `in error: ${failure ?? "see the log for the cause"}`,
      "Remove the cause, then POST /api/v1/system/restart.",
    )
  }
  if (status === "stopped") return problem(check, "stopped", "Start it: POST /api/v1/system/start.")
  return problem(check, `${status}: no frames until it has finished`, "Wait some seconds and run the doctor again.")
}

/** The finding about a database that does not answer. Without it callers cannot be identified, so the doctor may have no other finding. */
export const silentStore: Finding = problem(
  "store",
  "the database does not answer, so no frame can be stored",
  "Start PostgreSQL again, or check its disk. The service's log has the error.",
)

const store = ({ store_answers }: DiagnosticsBody): ReadonlyArray<Finding> => store_answers ? [] : [silentStore]

const actors = ({ given_up_actors: actors }: DiagnosticsBody): ReadonlyArray<Finding> =>
  actors.length === 0 ? [] : [problem(
    "actors",
    `${actors.join(", ")} failed too often and ${actors.length === 1 ? "is" : "are"} temporarily unavailable`,
    "See the service's log for the cause.",
  )]

const kernels = ({ kernels }: DiagnosticsBody): ReadonlyArray<Finding> => {
  if (kernels === null) return []
  const skipped = kernels.skipped.map(({ backend, reason }) => `${backend}: ${reason}`).join("; ")
  return [
    kernels.backend === "typed-arrays"
      ? problem(
        "kernels",
        `they run on typed arrays, which are many times slower than WebAssembly (${skipped || kernels.reason})`,
        "Unset WAVEPOSE_KERNELS, or remove the cause and restart the service.",
      )
      : ok("kernels", `they run on ${kernels.backend} (${kernels.device}): ${kernels.reason}`),
  ]
}

const enrolment = ({ environments, routers }: DiagnosticsBody): Finding => {
  const check = "enrolment"
  const advice =
    "Add a room and its boards: page Set-up of the console, `npx wavepose node add`, or a site file with --site FILE."
  if (environments.length === 0) return problem(check, "no environment is enrolled", advice)
  if (routers.length === 0) return problem(check, "no router is enrolled", advice)
  return ok(check, `${environments.length} environment(s), ${routers.length} router(s)`)
}

/** Frames that an environment made between the examinations; 0 if it did not answer the first one. */
const framesOf = (
  first: DiagnosticsBody,
  { environment_id, frames_processed }: DiagnosticsBody["environments"][number],
) => {
  const before = first.environments.find((environment) => environment.environment_id === environment_id)
  return before?.answers === false ? 0 : frames_processed - (before?.frames_processed ?? 0)
}

const silentAdvice =
  "Its node may be short of processor, or has just failed: look at its log. Rooms of a node that failed move within " +
  "seconds."

const framesFinding = (
  first: DiagnosticsBody,
  last: DiagnosticsBody,
  environment: DiagnosticsBody["environments"][number],
): Finding => {
  const seconds = Math.max(1, Math.round((Date.parse(last.timestamp) - Date.parse(first.timestamp)) / 1000))
  const check = `frames of ${environment.environment_id}`
  if (!environment.answers) return problem(check, `${environment.no_frames_reason}`, silentAdvice)
  const made = framesOf(first, environment)
  const { behind, frame_age_ms: ageMs, lateness } = environment
  if (behind !== null && ageMs !== null) {
    const flow = made > 0 ? `${made} within ${seconds} s, but the newest` : "the newest"
    return problem(
      check,
      `${flow} is ${(ageMs / 1000).toFixed(1)} s old (${lateness}). ${behind.finding}`,
      behind.advice,
    )
  }
  const shedding = environment.pace?.shedding ?? null
  if (made > 0 && shedding !== null) return problem(check, shedding, sheddingAdvice)
  return made > 0
    ? ok(check, `${made} within ${seconds} s`)
    : problem(check, environment.no_frames_reason ?? `none within ${seconds} s`, "See the other findings.")
}

const frames = (first: DiagnosticsBody, last: DiagnosticsBody): ReadonlyArray<Finding> =>
  last.environments.filter(({ active, answers }) => active || !answers).flatMap((environment) =>
    concerning([framesFinding(first, last, environment)], environment.environment_id)
  )

/** All findings, from the operator's settings to the routers. */
export const judge = (first: DiagnosticsBody, last: DiagnosticsBody): ReadonlyArray<Finding> => {
  const framesFlow = last.environments.some((environment) => environment.active && framesOf(first, environment) > 0)
  const byDatagrams = new Set(last.datagrams.flatMap(({ routers }) => routers.map(({ router_id }) => router_id)))
  const otherWays = last.routers.some(({ router_id, state }) =>
    (state === "streaming" || state === "calibrating") && !byDatagrams.has(router_id)
  )
  return [
    system(last),
    ...store(last),
    ...actors(last),
    ...kernels(last),
    enrolment(last),
    ...frames(first, last),
    ...judgeDatagrams(first, last, { framesFlow, otherWays }),
    ...judgeRouters(first, last),
  ]
}
