/**
 * Egress processes of edge records: the bridge and the MQTT publisher. Starts one, and reports its state to health.
 *
 * Invariant: a process that the privacy gate has closed is not restarted. The rest of the service continues, and health shows the reason.
 */
import { Effect } from "effect"
import { mayCross, nameOfClass } from "../../core/privacy/privacy-class.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { refusedExitCode } from "../../protocols/ports/edge-feed.ts"
import { EgressStates, type EgressStatus } from "../../protocols/ports/egress.ts"
import { pauseMin, type ServiceNode, superviseChild } from "./child-process.ts"
import { classOf, type EdgeSettings } from "../settings/edge-settings.ts"

/** The nodes whose privacy class must not leave the service. */
const refusedNodes = Effect.fnUntraced(function* ({ classes }: EdgeSettings) {
  const routers = yield* (yield* Directory).routers.pipe(Effect.catch(() => Effect.succeed([])))
  return routers.flatMap(({ routerId }) => {
    const given = classOf(classes, routerId)
    return mayCross(given) ? [] : [`${routerId} (${nameOfClass(given)})`]
  })
})

/**
 * An egress as a child process.
 *
 * @param command the command of `wavepose`; also the destination's name in health
 * @param name the name of the process in the log and in health
 */
export const egressProcess = Effect.fnUntraced(
  function* (command: "bridge" | "mqtt", name: string, settings: EdgeSettings, node: ServiceNode) {
    const egressStates = yield* EgressStates
    const report = (status: EgressStatus, reason: string | null) =>
      egressStates.report({ destination: command, status, reason })
    /** Runs it within the scope, until it ends or the privacy gate closes it (`final`). */
    const run = superviseChild({
      name,
      args: [command, "--from", node.grpc, "--while-stdin"],
      env: {},
      role: "viewer",
      scope: "read:poses",
      node,
      finalExitCode: refusedExitCode,
      onChange: (child) => {
        switch (child.state) {
          case "active":
            return report("active", null)
          case "broken":
            return report("unavailable", child.reason)
          case "failed":
            return report("unavailable", `The ${name} failed and is being restarted. See its log for the cause.`)
          case "paused":
            return report(
              "unavailable",
              `The ${name} failed repeatedly and is tried again after ${pauseMin} minutes. See its log for the cause.`,
            )
        }
      },
    })
    const reportRejected = Effect.gen(function* () {
      const nodes = yield* refusedNodes(settings)
      const who = nodes.length === 0 ? "a node" : nodes.join(", ")
      yield* report(
        "refused",
        `The privacy gate closed the ${name}: the privacy class of ${who} must not leave the service. Set ` +
          "WAVEPOSE_PRIVACY_CLASS to anonymous or restricted and restart the service.",
      )
    })
    return { report, run, reportRejected }
  },
)
