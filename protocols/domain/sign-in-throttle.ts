/**
 * How fast passwords may be tried: three counts of failures, each with its own patience.
 *
 * 1. Of an account from an address: the wait doubles with each failure, up to a quarter of an hour. An attacker who has
 *    one address is held here, and hurts nobody else.
 * 2. Of an address, whatever the account: as above, for whoever tries one password on many accounts.
 * 3. Of an account, wherever from: for guesses from many addresses at once. The wait is seconds at most, and addresses from
 *    which the account was signed in to within `knownForMs` never wait for it. So an attacker cannot lock an owner out:
 *    where the owner signed in before, nothing is noticed; elsewhere the owner competes with the attack while it lasts,
 *    and a few seconds after its end nothing is left of it.
 *
 * A count falls by one every `decayS`. Refused attempts are not counted: waiting ends however hard somebody knocks.
 */

export const paceKinds = ["pair", "address", "account"] as const
export type PaceKind = typeof paceKinds[number]

interface Pace {
  /** Failures that cost nothing. */
  readonly free: number
  readonly decayS: number
  readonly waitSMax: number
}

export const paces: Readonly<Record<PaceKind, Pace>> = {
  pair: { free: 5, decayS: 300, waitSMax: 900 },
  address: { free: 30, decayS: 60, waitSMax: 900 },
  account: { free: 100, decayS: 10, waitSMax: 10 },
}

/** An address from which an account was signed in to is known for thirty days. */
export const knownForMs = 30 * 86_400_000

/** A count as it was after its last attempt. */
export interface Level {
  readonly failures: number
  /** Epoch milliseconds. */
  readonly atMs: number
}

/** Milliseconds until the next attempt may be made; 0 where it may be now. */
export const waitMs = (kind: PaceKind, { atMs, failures }: Level, nowMs: number): number => {
  const { free, waitSMax } = paces[kind]
  const over = Math.floor(failures) - free
  if (over < 0) return 0
  return Math.max(0, atMs + Math.min(2 ** over, waitSMax) * 1000 - nowMs)
}

/** The count after one more attempt at `nowMs`, taken as a failure until it is known to be none. */
export const afterAttempt = (kind: PaceKind, { atMs, failures }: Level, nowMs: number): Level => {
  const decayed = Math.max(0, nowMs - atMs) / 1000 / paces[kind].decayS
  return { failures: Math.max(0, failures - decayed) + 1, atMs: nowMs }
}
