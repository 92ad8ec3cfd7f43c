/**
 * The entities with which a home controls the sensing: a button that calibrates a room, and the threshold of persons.
 *
 * Pure. A control has no service of its own: its attribute `command` names the service of this plugin that it calls. The MQTT mirror calls no
 * other plugin's service.
 */
import { sensingDomain } from "../../../services/sensing.ts"
import { type Sensed, sensed, type SensedDevice, unknown } from "./sensor-entities.ts"

/** The device of the settings that all rooms share. */
export const serviceDevice: SensedDevice = {
  slug: "wavepose",
  name: "wavepose",
  area: null,
  order: {
    deviceId: "wavepose-service",
    identifiers: [["wavepose", "service"]],
    name: "wavepose",
    manufacturer: "wavepose",
    model: "service",
    areaId: null,
  },
}

/** The button of a room. A press is not remembered, so its state is unknown. */
export const calibrateButton = (environmentId: string, device: SensedDevice): Sensed =>
  sensed(
    device,
    {
      platform: "button",
      key: "calibrate_empty",
      name: "Calibrate the empty room",
      attributes: { icon: "mdi:ruler" },
    },
    unknown,
    {
      environment_id: environmentId,
      command: { service: `${sensingDomain}.calibrate`, data: { environment_id: environmentId } },
    },
  )

/** @param threshold the setting `detection.confidence_threshold` */
export const thresholdNumber = (threshold: number): Sensed =>
  sensed(
    serviceDevice,
    {
      platform: "number",
      key: "person_threshold",
      name: "Person threshold",
      fact: true,
      attributes: { icon: "mdi:account-check", min: 0, max: 1, step: 0.05, mode: "slider" },
    },
    String(threshold),
    { command: { service: `${sensingDomain}.set_person_threshold`, data: {}, value: "value" } },
  )
