/** A synthetic link past a chest, packet by packet, as a receiver reports it; and the vital signs read from it. */
import type { Vitals } from "../../../core/observation/vitals.ts"
import { createRatioPlan } from "../../../core/signal/csi-ratio.ts"
import { VitalsWindow } from "../../../core/vitals/vitals-window.ts"
import { echoes, layoutOf, normal, received, tones56, uniform } from "../signal/channel.ts"

export interface Scene {
  readonly seed: number
  readonly seconds?: number
  readonly packetRateHz?: number
  readonly antennas?: number
  readonly centerFrequencyHz?: number
  /** Length of the echo's path, less its static part, metres. */
  readonly pathM?: (seconds: number) => number
  /** Amplitude of the echo over that of the static response. */
  readonly echo?: number
  /** Deviation of the noise of a subcarrier over the static response. */
  readonly noise?: number
  /** Deviation of an antenna's gain from packet to packet, logarithmic. */
  readonly gainJitter?: number
  readonly arrives?: (seconds: number) => boolean
  readonly moving?: (seconds: number) => boolean
}

/** The path by way of a chest that breathes `rateBpm` with a stroke of `strokeM`. */
export const breath = (rateBpm: number, strokeM = 0.005) => (seconds: number): number =>
  strokeM * (1 - Math.cos(2 * Math.PI * seconds * rateBpm / 60))

/** The vital signs of the scene's link, second by second. */
export const vitalsOf = (scene: Scene): ReadonlyArray<Vitals> => {
  const { antennas = 1, centerFrequencyHz = 2.44e9, echo = 0.1, noise = 0.08, packetRateHz = 50, seconds = 60 } = scene
  const { arrives = () => true, gainJitter = 0, moving = () => false, pathM = () => 0 } = scene
  const random = uniform(scene.seed)
  const still = echoes(random, antennas, tones56, 1)
  const phases = Array.from({ length: antennas }, () => 2 * Math.PI * random())
  const window = new VitalsWindow(createRatioPlan(layoutOf({ receiveAntennas: antennas, centerFrequencyHz })))
  const response = new Float32Array(still.length)
  const said: Array<Vitals> = []
  for (let t = 0; t < seconds; t += (0.7 + 0.6 * random()) / packetRateHz) {
    while (said.length < Math.floor(t)) said.push(window.evaluate((said.length + 1) * 1e6, moving(said.length)))
    const gains = phases.map(() => Math.exp(gainJitter * normal(random)))
    for (let v = 0; v < response.length; v += 2) {
      const row = Math.floor(v / 112)
      const delayed = 2 * Math.PI * tones56[(v % 112) / 2]! * 312_500 * 30e-9
      const phase = phases[row]! - delayed - 2 * Math.PI * pathM(t) * centerFrequencyHz / 299_792_458
      response[v] = gains[row]! * (still[v]! + echo * Math.cos(phase) + noise * normal(random))
      response[v + 1] = gains[row]! * (still[v + 1]! + echo * Math.sin(phase) + noise * normal(random))
    }
    const packet = { gain: 20 + 5 * random(), phase: 7 * random(), delaySeconds: (random() - 0.5) * 1e-7 }
    const csi = received(response, tones56, packet).map(Math.round)
    if (arrives(t)) window.add(t * 1e6, csi, 0)
  }
  return said
}

/** Rates of the seconds that have one. */
export const ratesOf = (said: ReadonlyArray<Vitals>): ReadonlyArray<number> =>
  said.flatMap(({ breathingRateBpm }) => breathingRateBpm === null ? [] : [breathingRateBpm])
