/**
 * What the processes by which edge records leave have alike: how they are started, what health is told, and what the privacy gate does.
 *
 * Invariant: one that the gate has closed is not started again; the rest of the service goes on, and its health says why.
 */
import { Effect } from "effect"
import { mayCross, nameOfClass } from "../../core/privacy/privacy-class.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { refusedExitCode } from "../../protocols/ports/edge-feed.ts"
import { EgressStates, type EgressStatus } from "../../protocols/ports/egress.ts"
import { superviseChild } from "./child-process.ts"
import { classOf, type EdgeSettings } from "../settings/edge-settings.ts"
import type { Destination } from "../settings/destination.ts"

/** The nodes whose class may not leave, for health. */
const refusedNodes = Effect.fnUntraced(function* ({ classes }: EdgeSettings) {
  const routers = yield* (yield* Directory).routers.pipe(Effect.catch(() => Effect.succeed([])))
  return routers.flatMap(({ routerId }) => {
    const given = classOf(classes, routerId)
    return mayCross(given) ? [] : [`${routerId} (${nameOfClass(given)})`]
  })
})

/**
 * A process that is a way out.
 *
 * @param command of `wavepose`, and the destination that health calls it by
 * @param name as logs and health call the process
 */
export const egressProcess = Effect.fnUntraced(
  function* (command: "bridge" | "mqtt", name: string, settings: EdgeSettings, { caFile, to }: Destination) {
    const ways = yield* EgressStates
    const tell = (status: EgressStatus, reason: string | null) => ways.report({ destination: command, status, reason })
    /** Runs it for as long as the scope lives, until the gate closes it (`final`) or it is given up. */
    const run = superviseChild({
      name,
      args: [command, "--from", to, "--while-stdin", ...(caFile === null ? [] : ["--ca", caFile])],
      env: {},
      role: "viewer",
      to,
      finalExitCode: refusedExitCode,
      tell: (child) => {
        switch (child.state) {
          case "active":
            return tell("active", null)
          case "broken":
            return tell("unavailable", child.reason)
          case "failed":
            return tell("unavailable", `The ${name} ended and is started again; its log says why.`)
          case "given-up":
            return tell("unavailable", `The ${name} failed again and again and is given up; its log says why.`)
        }
      },
    })
    const tellRefused = Effect.gen(function* () {
      const nodes = yield* refusedNodes(settings)
      const who = nodes.length === 0 ? "a node" : nodes.join(", ")
      yield* tell(
        "refused",
        `The privacy gate closed the ${name}: the class of ${who} may not leave. Set WAVEPOSE_PRIVACY_CLASS to anonymous ` +
          "or restricted and start the service again.",
      )
    })
    return { tell, run, tellRefused }
  },
)
