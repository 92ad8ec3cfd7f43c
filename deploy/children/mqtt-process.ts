/**
 * The MQTT publisher as a child process of the service. It runs while a broker is set and `streaming.mqttEnabled` is on.
 *
 * Invariant: of the gateways of a cluster that have a broker in their settings, one publishes. Another one takes over when it stops or fails.
 */
import { Effect } from "effect"
import { Sharding } from "effect/cluster"
import { mqttGroup } from "../../protocols/messages/shard-groups.ts"
import { StreamingSwitches } from "../../gateways/calls/streaming-switches.ts"
import type { EdgeSettings } from "../settings/edge-settings.ts"
import type { MqttSettings } from "../settings/mqtt-settings.ts"
import type { ServiceNode } from "./child-process.ts"
import { egressProcess } from "./egress-process.ts"

const elsewhere = "Another node publishes to the MQTT broker."

/** Keeps the publisher running while this node is the one that publishes and the configuration enables it. */
export const superviseMqtt = Effect.fnUntraced(
  function* (mqtt: MqttSettings | null, edge: EdgeSettings, node: ServiceNode) {
    const switches = yield* StreamingSwitches
    const { report, run, reportRejected } = yield* egressProcess("mqtt", "MQTT publisher", edge, node)
    if (mqtt === null) return yield* report("disabled", null)
    const publish = Effect.gen(function* () {
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
        if (end === "final") return yield* reportRejected
      }
    })
    yield* report("disabled", elsewhere)
    const { registerSingleton } = yield* Sharding.Sharding
    yield* registerSingleton("mqtt", Effect.onInterrupt(publish, () => report("disabled", elsewhere)), {
      shardGroup: mqttGroup,
    })
    return yield* Effect.never
  },
  Effect.provide(StreamingSwitches.layer),
)
