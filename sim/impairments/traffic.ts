/**
 * Traffic: the times of packets and their losses.
 *
 * Nodes take turns on one channel; waiting for the channel delays a packet. Losses come in bursts (Gilbert and Elliott). A router may
 * also pause: its host is busy or it scans other channels.
 */
import type { Random } from "../randomness/random.ts"

interface Transmission {
  readonly transmitter: number
  readonly timeS: number
}

/** An endless schedule in time order; `jitterMs` is the mean wait for the channel, clamped at 0.9 of a turn. */
export const createSchedule = (
  nodes: number,
  packetRateHz: number,
  jitterMs: number,
  random: Random,
): () => Transmission => {
  const turnS = 1 / (nodes * packetRateHz)
  let turn = 0
  return () => {
    const waitS = Math.min(-jitterMs * 1e-3 * Math.log(1 - random.uniform()), 0.9 * turnS)
    const transmission = { transmitter: turn % nodes, timeS: turn * turnS + waitS }
    turn++
    return transmission
  }
}

/** Decides for each packet whether it is lost: `lossRate` on average, in bursts of `burstPackets` on average. */
export const createLoss = (lossRate: number, burstPackets: number, random: Random): () => boolean => {
  const leave = 1 / burstPackets
  const enter = lossRate >= 1 ? 1 : (lossRate * leave) / (1 - lossRate)
  let bad = false
  return () => {
    bad = bad ? random.uniform() >= leave : random.uniform() < enter
    return bad
  }
}

/** Decides whether a router pauses at a time, which never decreases: `gapsPerMinute` pauses of `gapSeconds` on average. */
export const createGaps = (gapsPerMinute: number, gapSeconds: number, random: Random): (timeS: number) => boolean => {
  if (gapsPerMinute === 0) return () => false
  const draw = (mean: number): number => -mean * Math.log(1 - random.uniform())
  let fromS = draw(60 / gapsPerMinute)
  let toS = fromS + draw(gapSeconds)
  return (timeS) => {
    while (timeS >= toS) {
      fromS = toS + draw(60 / gapsPerMinute)
      toS = fromS + draw(gapSeconds)
    }
    return timeS >= fromS
  }
}
