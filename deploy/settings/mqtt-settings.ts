/**
 * Settings of the MQTT publisher: the broker, and the topics under which nodes appear there.
 */
import { Redacted, Result, Schema } from "effect"
import { type BrokerAddress, readBrokerUrl } from "../../gateways/mqtt/broker-address.ts"
import { type TopicNames, topicWordPattern } from "../../gateways/mqtt/topics.ts"
import { withDefault } from "./variables.ts"

export interface MqttSettings extends TopicNames {
  readonly address: BrokerAddress
  /** PEM file of the authority's certificate; null: the authorities that the system trusts. */
  readonly caFile: string | null
}

const TopicWord = Schema.String.check(Schema.isPattern(topicWordPattern), Schema.isMaxLength(64))
/** Home Assistant accepts a discovery prefix of several levels. */
const TopicPrefix = Schema.String.check(Schema.isPattern(/^[^/+#\0]+(?:\/[^/+#\0]+)*$/), Schema.isMaxLength(256))

/** The variables, as fields of the schema of all settings. */
export const mqttVariables = {
  WAVEPOSE_MQTT_URL: Schema.optionalKey(Schema.RedactedFromValue(Schema.NonEmptyString)),
  WAVEPOSE_MQTT_CA: Schema.optionalKey(Schema.NonEmptyString),
  WAVEPOSE_MQTT_TOPIC: withDefault(TopicWord, "wavepose"),
  WAVEPOSE_MQTT_DISCOVERY_PREFIX: withDefault(TopicPrefix, "homeassistant"),
} as const

const MqttVariables = Schema.Struct(mqttVariables)

/** The settings of these variables; null without a broker. Fails with a message that names the invalid one. */
export const mqttSettingsOf = (v: typeof MqttVariables.Type): Result.Result<MqttSettings | null, string> => {
  if (v.WAVEPOSE_MQTT_URL === undefined) return Result.succeed(null)
  const address = readBrokerUrl(Redacted.value(v.WAVEPOSE_MQTT_URL))
  // The message does not repeat the value, because it contains credentials.
  if (Result.isFailure(address)) return Result.fail(`WAVEPOSE_MQTT_URL cannot be read. ${address.failure}`)
  const caFile = v.WAVEPOSE_MQTT_CA ?? null
  if (caFile !== null && !address.success.tls) {
    return Result.fail(
      "WAVEPOSE_MQTT_CA is set, but WAVEPOSE_MQTT_URL is not mqtts://: plain MQTT has no certificates.",
    )
  }
  return Result.succeed({
    address: address.success,
    caFile,
    base: v.WAVEPOSE_MQTT_TOPIC,
    discoveryPrefix: v.WAVEPOSE_MQTT_DISCOVERY_PREFIX,
  })
}
