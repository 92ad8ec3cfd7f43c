/**
 * The MQTT publisher as a child process of the service, for as long as a broker is set and `streaming.mqttEnabled` is on.
 */
import { Effect } from "effect"
import { StreamingSwitches } from "../../gateways/calls/streaming-switches.ts"
import type { EdgeSettings } from "../settings/edge-settings.ts"
import type { MqttSettings } from "../settings/mqtt-settings.ts"
import type { Destination } from "../settings/destination.ts"
import { egressProcess } from "./egress-process.ts"

/** Runs the publisher whenever it is switched on, until the gate closes it or it is given up. */
export const superviseMqtt = Effect.fnUntraced(
  function* (mqtt: MqttSettings | null, edge: EdgeSettings, to: Destination) {
    const switches = yield* StreamingSwitches
    const { run, tell, tellRefused } = yield* egressProcess("mqtt", "MQTT publisher", edge, to)
    if (mqtt === null) return yield* tell("disabled", null)
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
      if (end === "final") return yield* tellRefused
    }
  },
  Effect.provide(StreamingSwitches.layer),
)
