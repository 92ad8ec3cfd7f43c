/** What an environment leaves out to stay in real time, in words for the operator. Pure. */
import type { EnvironmentStatus } from "./system.ts"

const hops = (count: number): string => count === 1 ? "1 hop" : `${count} hops`

/** A sentence on what an environment has left out in the last seconds; null when that is nothing. */
export const sheddingText = (
  { environmentId, pace }: Pick<EnvironmentStatus, "environmentId" | "pace">,
): string | null => {
  if (!pace.sheds) return null
  const effort = pace.effort === "full" ? "" : ` Its effort is reduced: ${pace.effort.replaceAll("_", " ")}.`
  const left = [
    ...(pace.shedHops === 0 ? [] : [`${hops(pace.shedHops)} not estimated`]),
    ...(pace.routerHops === 0 ? [] : [`${hops(pace.routerHops)} not reduced, because they came late`]),
    ...(pace.missedHops === 0 ? [] : [`${hops(pace.missedHops)} left out by its simulation`]),
  ]
  return `Environment ${environmentId} leaves work out to stay in real time, because the processor is short.${effort}` +
    (left.length === 0 ? "" : ` Since its start: ${left.join(", ")}.`)
}

export const sheddingAdvice =
  "Stop other programs on this machine, give it more processors, or distribute the environments over more nodes."
