import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Configuration, defaultConfiguration } from "../../../protocols/domain/configuration.ts"
import { defaultStartOptions, StartOptions } from "../../../protocols/domain/system.ts"

const read = Schema.decodeUnknownSync(Configuration)

describe("a saved configuration", () => {
  it("has the default of each setting that it was saved without", () => {
    expect(read({})).toEqual(defaultConfiguration)
    const { trackingMaxAgeFrames: _, ...detection } = defaultConfiguration.detection
    expect(read({ detection: { ...detection, maxPersons: 2 } }).detection).toEqual({
      ...defaultConfiguration.detection,
      maxPersons: 2,
    })
    expect(read({ alerts: { fallDetection: { sensitivity: 0.75 } } }).alerts).toEqual({
      ...defaultConfiguration.alerts,
      fallDetection: { ...defaultConfiguration.alerts.fallDetection, sensitivity: 0.75 },
    })
  })

  it("keeps what was chosen", () => {
    const chosen: Configuration = {
      ...defaultConfiguration,
      domain: "security",
      environmentId: "shop",
      neuralNetwork: { modelVersion: "mine", batchSize: 8, enableGpu: false, inferenceTimeoutS: 0.5 },
      privacy: { dataRetentionDays: 7, anonymizeData: true, enableEncryption: true, csiRecordingEnabled: true },
    }
    expect(read(JSON.parse(JSON.stringify(Schema.encodeSync(Configuration)(chosen))))).toEqual(chosen)
  })

  it("is read from a session that was saved before there were configurations", () => {
    const { alerts: _alerts, streaming: _streaming, privacy: _privacy, ...early } = defaultStartOptions
    const saved = {
      ...early,
      neuralNetwork: { modelVersion: "old" },
      hardware: { csiSamplingRate: 100, bufferSize: 64 },
    }
    expect(Schema.decodeUnknownSync(StartOptions)(saved)).toEqual({
      ...defaultStartOptions,
      neuralNetwork: { ...defaultStartOptions.neuralNetwork, modelVersion: "old" },
    })
  })

  it.each([
    { detection: { confidenceThreshold: 1.01 } },
    { detection: { maxPersons: 0 } },
    { privacy: { dataRetentionDays: 0 } },
    { neuralNetwork: { modelVersion: "../secret" } },
    { alerts: { inactivityDetection: { thresholdMinutes: 0.5 } } },
    { domain: "casino" },
  ])("is rejected out of its bounds: %j", (value) => {
    expect(() => read(value)).toThrow()
  })
})
