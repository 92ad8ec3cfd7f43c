/**
 * Impairments in a scenario file: each is optional and defaults to its value in `unimpaired`.
 */
import { Schema } from "effect"
import { unimpaired } from "../impairments/impairments.ts"
import { between, defaulted } from "./values.ts"

/** Ranges are wider than those of real devices, for tests of extreme values. */
const ranges = {
  timingSigmaNs: between(0, 200),
  oscillatorPpm: between(0, 100),
  antennaPhaseSigmaRad: between(0, 4),
  chainGainSigmaDb: between(0, 12),
  gainJitterDb: between(0, 3),
  gainStepDb: between(0, 12),
  gainStepSeconds: between(0.1, 3600),
  gainFollowsDb: between(0, 12),
  iqGainDb: between(0, 6),
  iqPhaseRad: between(0, 1),
  rippleDb: between(0, 6),
  rippleRad: between(0, 2),
  snrDb: between(-10, 80),
  interferenceRate: between(0, 1),
  interferenceDb: between(0, 40),
  interferenceBand: between(0.01, 1),
  jitterMs: between(0, 50),
  lossRate: between(0, 0.9),
  burstPackets: between(1, 100),
  gapsPerMinute: between(0, 60),
  gapSeconds: between(0.05, 60),
  clockOffsetMs: between(0, 10_000),
  clockDriftPpm: between(0, 500),
  surveySigmaM: between(0, 1),
  surveyYawSigmaRad: between(0, 3.2),
}

type DefaultedNumber = ReturnType<typeof defaulted<ReturnType<typeof between>>>

const numbers = Object.fromEntries(
  Object.entries(ranges).map(([name, range]) => [name, defaulted(range, unimpaired[name as keyof typeof ranges])]),
) as Record<keyof typeof ranges, DefaultedNumber>

/** The impairments of a scenario: all fields of `Impairments`. */
export const ScenarioImpairments = Schema.Struct({
  ...numbers,
  pllStates: defaulted(Schema.Literals([1, 2, 4]), unimpaired.pllStates),
  antennasCalibrated: defaulted(Schema.Boolean, unimpaired.antennasCalibrated),
  fullScale: defaulted(Schema.Tuple([between(0.01, 1), between(0.01, 1)]), unimpaired.fullScale),
})
