/** What is wrong, in sentences, from the service's diagnostics. Pure. */
import type { Diagnostics } from "../service/types.ts"

/** One sentence for each thing that keeps frames away or late; empty when all is well. */
export const findingsOf = (
  { environments, given_up_actors, routers, store_answers, system }: Diagnostics,
): ReadonlyArray<string> => [
  ...(store_answers ? [] : ["The database does not answer: nothing is stored and no frame is sent."]),
  ...(system.status === "running"
    ? []
    : [`The system is ${system.status}${system.failure === null ? "" : `: ${system.failure}`}.`]),
  ...environments.flatMap(({ active, behind, environment_id, no_frames_reason }) => [
    ...(active && no_frames_reason !== null ? [`${environment_id} has no frames: ${no_frames_reason}`] : []),
    ...(behind == null ? [] : [`${environment_id} is late: ${behind.finding} ${behind.advice}`]),
  ]),
  ...routers.flatMap(({ calibration, reason, router_id }) => [
    ...(reason === null ? [] : [`Board ${router_id}: ${reason}`]),
    ...(calibration?.stale_reason == null
      ? []
      : [`Board ${router_id} needs a calibration: ${calibration.stale_reason}`]),
  ]),
  ...given_up_actors.map((actor) => `An actor was given up after repeated failures: ${actor}`),
]
