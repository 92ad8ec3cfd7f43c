/**
 * The edge bridge as a child process of the service.
 *
 * Invariant: a bridge that the privacy gate has closed is not started again; the rest of the service goes on, and its health says why.
 */
import { Effect } from "effect"
import { mayCross, nameOfClass } from "../core/privacy/privacy-class.ts"
import { Directory } from "../protocols/messages/directory.ts"
import { refusedExitCode } from "../protocols/messages/edge-feed.ts"
import { type WayOutStatus, WaysOut } from "../protocols/messages/ways-out.ts"
import { superviseChild } from "./child-process.ts"
import { classOf, type EdgeSettings } from "./edge-settings.ts"
import type { Destination } from "./play-command.ts"

/** The nodes whose class may not leave, for health. */
export const refusedNodes = Effect.fnUntraced(function* ({ classes }: EdgeSettings) {
  const routers = yield* (yield* Directory).routers.pipe(Effect.catch(() => Effect.succeed([])))
  return routers.flatMap(({ routerId }) => {
    const given = classOf(classes, routerId)
    return mayCross(given) ? [] : [`${routerId} (${nameOfClass(given)})`]
  })
})

/** Runs the bridge for as long as the service runs, or until the gate closes it. */
export const superviseBridge = Effect.fnUntraced(function* (settings: EdgeSettings, { caFile, to }: Destination) {
  const ways = yield* WaysOut
  const tell = (status: WayOutStatus, reason: string | null) => ways.tell({ destination: "bridge", status, reason })
  if (settings.bridge === null) return yield* tell("disabled", null)
  yield* tell("starting", null)
  const end = yield* superviseChild({
    name: "bridge",
    args: ["bridge", "--from", to, "--while-stdin", ...(caFile === null ? [] : ["--ca", caFile])],
    env: {},
    role: "viewer",
    to,
    finalExitCode: refusedExitCode,
    tell: (state) =>
      state === "active" ? tell("active", null) : tell(
        "unavailable",
        state === "failed"
          ? "The bridge ended and is started again; its log says why."
          : "The bridge failed again and again and is given up; its log says why.",
      ),
  })
  if (end !== "final") return
  const nodes = yield* refusedNodes(settings)
  const who = nodes.length === 0 ? "a node" : nodes.join(", ")
  yield* tell(
    "refused",
    `The privacy gate closed the bridge: the class of ${who} may not leave. Set WAVEPOSE_PRIVACY_CLASS to anonymous ` +
      "or restricted and start the service again.",
  )
})
