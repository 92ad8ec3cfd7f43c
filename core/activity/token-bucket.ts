/**
 * A token bucket: limits the rate of an action, with a burst, on injected time.
 *
 * Invariant: in any span of `t` seconds at most `burst + t * perS` tokens are taken.
 */

interface TokenBucket {
  /** Takes tokens, one by default; false, and takes none, if there are fewer. Time does not go back. */
  readonly take: (timeS: number, count?: number) => boolean
}

export const createTokenBucket = ({ burst, perS }: { readonly burst: number; readonly perS: number }): TokenBucket => {
  let tokens = burst
  let lastS: number | null = null
  return {
    take: (timeS, count = 1) => {
      tokens = Math.min(burst, tokens + Math.max(0, timeS - (lastS ?? timeS)) * perS)
      lastS = timeS
      if (tokens < count) return false
      tokens -= count
      return true
    },
  }
}
