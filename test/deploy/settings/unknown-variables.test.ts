import { expect, it } from "vitest"
import { unknownVariables } from "../../../deploy/settings/unknown-variables.ts"

it("names variables that no setting reads, and the nearest known name", () => {
  expect(unknownVariables({ WAVEPOSE_PROT: "1", WAVEPOSE_COLOUR: "", WAVEPOSE_MQTT_UR: "x" })).toEqual([
    "no setting is named WAVEPOSE_COLOUR, so it has no effect: deploy/README.md lists the settings",
    "no setting is named WAVEPOSE_MQTT_UR, so it has no effect: is WAVEPOSE_MQTT_URL meant?",
    "no setting is named WAVEPOSE_PROT, so it has no effect: is WAVEPOSE_PORT meant?",
  ])
})

it("accepts settings, credentials of commands, and what Kubernetes and others set", () => {
  const environment = {
    WAVEPOSE_PORT: "1",
    WAVEPOSE_BRIDGE_TOKEN: "x",
    WAVEPOSE_API_KEY: "x",
    WAVEPOSE_SERVICE_HOST: "10.0.0.1",
    WAVEPOSE_PORT_8000_TCP_ADDR: "10.0.0.1",
    HOME: "/root",
  }
  expect(unknownVariables(environment)).toEqual([])
})
