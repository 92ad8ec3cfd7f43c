/**
 * The MQTT publisher as a child process of the service, for as long as a broker is set and `streaming.mqttEnabled` is on.
 *
 * Invariant: a publisher that the privacy gate has closed is not started again; the rest of the service goes on, and its health says why.
 */
import { Effect } from "effect"
import { StreamingSwitches } from "../gateways/middleware/streaming-switches.ts"
import { refusedExitCode } from "../protocols/messages/edge-feed.ts"
import { type WayOutStatus, WaysOut } from "../protocols/messages/ways-out.ts"
import { refusedNodes } from "./bridge-process.ts"
import { superviseChild } from "./child-process.ts"
import type { EdgeSettings } from "./edge-settings.ts"
import type { MqttSettings } from "./mqtt-settings.ts"
import type { Destination } from "./play-command.ts"

/** Runs the publisher whenever it is switched on, until the gate closes it or it is given up. */
export const superviseMqtt = Effect.fnUntraced(
  function* (mqtt: MqttSettings | null, edge: EdgeSettings, { caFile, to }: Destination) {
    const ways = yield* WaysOut
    const switches = yield* StreamingSwitches
    const tell = (status: WayOutStatus, reason: string | null) => ways.tell({ destination: "mqtt", status, reason })
    if (mqtt === null) return yield* tell("disabled", null)
    const run = superviseChild({
      name: "MQTT publisher",
      args: ["mqtt", "--from", to, "--while-stdin", ...(caFile === null ? [] : ["--ca", caFile])],
      env: {},
      role: "viewer",
      to,
      finalExitCode: refusedExitCode,
      tell: (state) =>
        state === "active" ? tell("active", null) : tell(
          "unavailable",
          state === "failed"
            ? "The MQTT publisher ended and is started again; its log says why."
            : "The MQTT publisher failed again and again and is given up; its log says why.",
        ),
    })
    while (true) {
      if (!switches.isOn("mqttEnabled")) {
        yield* tell("disabled", "WAVEPOSE_MQTT_URL is set, but streaming.mqtt_enabled is off in the configuration.")
        yield* Effect.logInfo("nothing is published over MQTT: streaming.mqtt_enabled is off")
      }
      yield* switches.untilOn("mqttEnabled")
      yield* tell("starting", null)
      const end = yield* Effect.raceFirst(
        Effect.scoped(run),
        Effect.as(switches.untilOff("mqttEnabled"), "off" as const),
      )
      if (end === "given-up") return
      if (end !== "final") continue
      const nodes = yield* refusedNodes(edge)
      const who = nodes.length === 0 ? "a node" : nodes.join(", ")
      return yield* tell(
        "refused",
        `The privacy gate closed the MQTT publisher: the class of ${who} may not leave. Set WAVEPOSE_PRIVACY_CLASS to ` +
          "anonymous or restricted and start the service again.",
      )
    }
  },
  Effect.provide(StreamingSwitches.layer),
)
