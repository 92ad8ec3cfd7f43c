/**
 * The edge bridge as a child process of the service.
 */
import { Effect } from "effect"
import type { EdgeSettings } from "../settings/edge-settings.ts"
import type { ServiceNode } from "./child-process.ts"
import { egressProcess } from "./egress-process.ts"

/** Runs the bridge until the service ends or the privacy gate closes it. */
export const superviseBridge = Effect.fnUntraced(function* (settings: EdgeSettings, node: ServiceNode) {
  const { report, run, reportRejected } = yield* egressProcess("bridge", "bridge", settings, node)
  if (settings.bridge === null) return yield* report("disabled", null)
  yield* report("starting", null)
  if ((yield* run) === "final") yield* reportRejected
})
