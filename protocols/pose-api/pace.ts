/**
 * Lateness and shedding of environments in answers: what is late, and what is left out so that it is not.
 */
import { Schema } from "effect"
import { efforts } from "../../core/pace/effort.ts"
import { type Behind, behindText } from "../domain/behind.ts"
import { sheddingText } from "../domain/shedding.ts"
import type { EnvironmentStatus } from "../domain/system.ts"
import { Count, NullableString } from "./fields.ts"

export const PaceBody = Schema.NullOr(Schema.Struct({
  effort: Schema.Literals(efforts),
  shed_hops: Count,
  router_hops: Count,
  missed_hops: Count,
  shedding: NullableString,
})).annotate({
  description:
    "What the environment leaves out to stay in real time: the effort that it spends on a hop, hops that it did not estimate, hops that its " +
    "routers dropped and hops that its simulation left out since its start, and a sentence if something was left out in the last ten seconds. " +
    "Null if it does not answer.",
})

export const paceBody = (status: EnvironmentStatus | null): typeof PaceBody.Type =>
  status === null ? null : {
    effort: status.pace.effort,
    shed_hops: status.pace.shedHops,
    router_hops: status.pace.routerHops,
    missed_hops: status.pace.missedHops,
    shedding: sheddingText(status),
  }

/** Sentences for an environment whose newest frame is late, or that leaves work out to stay in real time. */
export const lateTexts = (status: EnvironmentStatus, behind: Behind | null): ReadonlyArray<string> => {
  const shedding = sheddingText(status)
  return [
    ...(behind === null ? [] : [behindText(status.environmentId, behind)]),
    ...(shedding === null ? [] : [shedding]),
  ]
}
