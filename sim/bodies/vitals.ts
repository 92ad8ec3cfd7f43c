/**
 * Breathing and heartbeat of one person.
 *
 * Owns the displacement of the chest wall. Both are trains of cycles with varying periods: breaths vary by 5 % with rare pauses
 * after exhaling, beats by 3 %. Effort raises both rates slowly.
 */
import type { Random } from "../randomness/random.ts"

export interface VitalsDescription {
  readonly breathing: { readonly ratePerMinute: number; readonly chestMm: number }
  readonly heart: { readonly ratePerMinute: number; readonly chestMm: number }
}

interface Vitals {
  /** Advances to `timeS`, which never decreases; `effort` is 0 at rest and 1 while walking. */
  readonly advance: (timeS: number, effort: number) => void
  /** Displacement of the chest, metres: 0 to the described rise. The time is at most one step before that of `advance`. */
  readonly breathM: (timeS: number) => number
  /** Displacement by the current heartbeat, metres. */
  readonly pulseM: (timeS: number) => number
  readonly breathingBpm: () => number
  readonly heartBpm: () => number
}

const breathJitter = 0.05
const beatJitter = 0.03
const pauseRate = 0.01
const inhaleShare = 0.42
/** Relative rise of the rates while walking, and its time constant. */
const breathingGain = 0.35
const heartGain = 0.3
const effortTimeS = 40

interface Cycle {
  startS: number
  periodS: number
  /** Time without movement at the end of the cycle. */
  pauseS: number
  depth: number
}

const jittered = (random: Random, share: number): number => 1 + share * Math.max(-3, Math.min(3, random.normal()))

export const createVitals = ({ breathing, heart }: VitalsDescription, random: Random): Vitals => {
  let effort = 0
  let nowS = 0
  const breathingBpm = (): number => breathing.ratePerMinute * (1 + breathingGain * effort)
  const heartBpm = (): number => heart.ratePerMinute * (1 + heartGain * effort)
  const breath: Cycle = { startS: 0, periodS: 60 / breathingBpm(), pauseS: 0, depth: 1 }
  const beat: Cycle = { startS: 0, periodS: 60 / heartBpm(), pauseS: 0, depth: 1 }
  breath.startS = -random.uniform() * breath.periodS
  beat.startS = -random.uniform() * beat.periodS

  const advance = (timeS: number, wanted: number): void => {
    effort += (wanted - effort) * Math.min(1, (timeS - nowS) / effortTimeS)
    nowS = timeS
    while (nowS >= breath.startS + breath.periodS + breath.pauseS) {
      breath.startS += breath.periodS + breath.pauseS
      breath.periodS = (60 / breathingBpm()) * jittered(random, breathJitter)
      breath.pauseS = effort < 0.3 && random.uniform() < pauseRate ? 2 + 4 * random.uniform() : 0
      breath.depth = jittered(random, 0.06)
    }
    while (nowS >= beat.startS + beat.periodS) {
      beat.startS += beat.periodS
      beat.periodS = (60 / heartBpm()) * jittered(random, beatJitter)
    }
  }

  const breathM = (timeS: number): number => {
    const part = Math.max(0, Math.min(1, (timeS - breath.startS) / breath.periodS))
    const turn = part < inhaleShare ? part / inhaleShare : 1 + (part - inhaleShare) / (1 - inhaleShare)
    return breathing.chestMm * 0.0005 * breath.depth * (1 - Math.cos(Math.PI * turn))
  }

  const pulseM = (timeS: number): number => {
    const s = timeS - beat.startS
    const main = (s - 0.12) / 0.045
    const second = (s - 0.32) / 0.055
    return heart.chestMm * 0.001 * (Math.exp(-main * main) + 0.3 * Math.exp(-second * second))
  }
  return { advance, breathM, pulseM, breathingBpm, heartBpm }
}
