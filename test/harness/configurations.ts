/** Random configurations and changes of them. */
import * as fc from "fast-check"
import type { Configuration, ConfigurationChanges } from "../../protocols/domain/configuration.ts"
import { changesOf, settingAt, settingPaths } from "../../protocols/domain/configuration-change.ts"

const fraction = fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const between = (min: number, max: number) => fc.integer({ min, max })
const switched = fc.boolean()

export const anyConfiguration: fc.Arbitrary<Configuration> = fc.record({
  domain: fc.constantFrom("healthcare", "retail", "security", "general"),
  environmentId: fc.option(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,20}$/)),
  detection: fc.record({
    confidenceThreshold: fraction,
    maxPersons: between(1, 100),
    enableTracking: switched,
    trackingMaxAgeFrames: between(1, 6_000),
    trackingMinHits: between(1, 100),
  }),
  neuralNetwork: fc.record({
    modelVersion: fc.option(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/)),
    batchSize: between(1, 64),
    enableGpu: switched,
    inferenceTimeoutS: fc.double({ min: 0.01, max: 60, noNaN: true }),
  }),
  alerts: fc.record({
    fallDetection: fc.record({
      enabled: switched,
      sensitivity: fraction,
      notificationDelayS: fc.double({ min: 0, max: 3_600, noNaN: true }).map((value) => value + 0),
      confidenceMin: fraction,
    }),
    inactivityDetection: fc.record({
      enabled: switched,
      thresholdMinutes: fc.double({ min: 1, max: 1_440, noNaN: true }),
    }),
    intrusionDetection: fc.record({ enabled: switched, armed: fc.option(switched) }),
    activityRecognition: fc.record({ enabled: switched }),
  }),
  streaming: fc.record({ restreamEnabled: switched, websocketEnabled: switched, mqttEnabled: switched }),
  hardware: fc.record({ bufferSizeFrames: between(10, 6_000) }),
  privacy: fc.record({
    dataRetentionDays: between(1, 3_650),
    anonymizeData: switched,
    enableEncryption: switched,
    csiRecordingEnabled: switched,
  }),
}, { noNullPrototype: true })

/** Some settings of any configuration. */
export const anyChanges: fc.Arbitrary<ConfigurationChanges> = anyConfiguration.chain((configuration) =>
  fc.subarray([...settingPaths(configuration)]).map((paths) =>
    changesOf(paths.map((path) => [path, settingAt(configuration, path)]))
  )
)
