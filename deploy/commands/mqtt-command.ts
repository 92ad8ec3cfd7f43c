/**
 * `wavepose mqtt`: the MQTT publisher as a process of its own, which reads from a service's gRPC edge.
 *
 * It ends with `refusedExitCode` when the privacy gate rejects a record.
 */
import { Console, Effect } from "effect"
import { readFile } from "node:fs/promises"
import { shownAddress } from "../../gateways/mqtt/broker-address.ts"
import { publishToMqtt } from "../../gateways/mqtt/publisher.ts"
import { type BridgeCommandOptions, remoteFeedOf } from "./bridge-command.ts"
import { InvalidCommand } from "../settings/invalid-command.ts"
import { readSettings } from "../settings/settings.ts"
import { version } from "../composition/version.ts"

/** Publishes until the feed ends. */
export const runMqtt = Effect.fnUntraced(function* (options: BridgeCommandOptions) {
  const { mqtt } = yield* readSettings(process.env)
  if (mqtt === null) {
    return yield* new InvalidCommand({
      message: "WAVEPOSE_MQTT_URL is not set. Set it to the broker, for example mqtt://user:password@host:1883.",
    })
  }
  const { caFile } = mqtt
  const caPem = caFile === null ? null : yield* Effect.tryPromise({
    try: () => readFile(caFile, "utf8"),
    catch: (cause) => new InvalidCommand({ message: `The file of WAVEPOSE_MQTT_CA cannot be read: ${cause}` }),
  })
  const print = (word: object) => Console.log(JSON.stringify(word))
  const broker = shownAddress(mqtt.address)
  return yield* publishToMqtt({
    ...mqtt,
    caPem,
    version,
    onConnected: print({ ready: "mqtt", url: broker }),
    onDisconnected: (reason) => print({ broken: "mqtt", reason: `MQTT: ${reason}; the publisher reconnects.` }),
  }).pipe(
    Effect.provide(yield* remoteFeedOf(options)),
  )
})
