/** What an environment leaves out to stay in real time, in words for the operator. Pure. */
import type { EnvironmentStatus } from "./system.ts"

const hops = (count: number): string => count === 1 ? "1 hop" : `${count} hops`

/** A sentence on what an environment has left out in the last seconds; null when that is nothing. */
export const sheddingText = (
  { environmentId, pace }: Pick<EnvironmentStatus, "environmentId" | "pace">,
): string | null => {
  if (!pace.sheds) return null
  const effort = pace.effort === "full" ? "" : ` Its effort is reduced: ${pace.effort.replaceAll("_", " ")}.`
  return `Environment ${environmentId} leaves work out to stay in real time, because the processor is short.${effort} ` +
    `Since its start ${hops(pace.shedHops)} were not estimated, and its simulation left out ${hops(pace.missedHops)}.`
}

export const sheddingAdvice =
  "Stop other programs on this machine, give it more processors, or distribute the environments over more nodes."
