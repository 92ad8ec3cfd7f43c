/**
 * The MQTT publisher as a child process of the service. It runs while a broker is set and `streaming.mqttEnabled` is on.
 */
import { Effect } from "effect"
import { StreamingSwitches } from "../../gateways/calls/streaming-switches.ts"
import type { EdgeSettings } from "../settings/edge-settings.ts"
import type { MqttSettings } from "../settings/mqtt-settings.ts"
import { egressProcess } from "./egress-process.ts"

/** Runs the publisher while it is switched on, until the privacy gate closes it or it is given up. */
export const superviseMqtt = Effect.fnUntraced(
  function* (mqtt: MqttSettings | null, edge: EdgeSettings, to: string) {
    const switches = yield* StreamingSwitches
    const { report, run, reportRejected } = yield* egressProcess("mqtt", "MQTT publisher", edge, to)
    if (mqtt === null) return yield* report("disabled", null)
    while (true) {
      if (!switches.isOn("mqttEnabled")) {
        yield* report("disabled", "WAVEPOSE_MQTT_URL is set, but streaming.mqtt_enabled is off in the configuration.")
        yield* Effect.logInfo("MQTT publisher not started: streaming.mqtt_enabled is off")
      }
      yield* switches.untilOn("mqttEnabled")
      yield* report("starting", null)
      const end = yield* Effect.raceFirst(
        Effect.scoped(run),
        Effect.as(switches.untilOff("mqttEnabled"), "off" as const),
      )
      if (end === "given-up") return
      if (end === "final") return yield* reportRejected
    }
  },
  Effect.provide(StreamingSwitches.layer),
)
