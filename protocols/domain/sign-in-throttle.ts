/**
 * Throttles sign-in attempts by three counts of failures, each with its own waits.
 *
 * 1. Per account and address: the wait doubles with each failure, up to a quarter of an hour. It stops an attacker with one
 *    address and affects no other client.
 * 2. Per address, for all accounts: as above. It stops an attacker who tries one password on many accounts.
 * 3. Per account, from all addresses: against guesses from many addresses at once. The wait is a few seconds, and it does not apply
 *    to addresses from which the account was signed in to within `knownForMs`. So an attacker cannot lock out the owner: at a known
 *    address the owner does not wait; at another one the owner may have to retry until a few seconds after the attack.
 *
 * A count falls by one every `decayS`. Rejected attempts are not counted, so they do not prolong the wait.
 */

export const paceKinds = ["pair", "address", "account"] as const
export type PaceKind = typeof paceKinds[number]

interface Pace {
  /** Failures without a wait. */
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

/** A count after its last attempt. */
export interface Level {
  readonly failures: number
  /** Epoch milliseconds. */
  readonly atMs: number
}

/** Milliseconds until the next attempt is allowed; 0 if it is allowed now. */
export const waitMs = (kind: PaceKind, { atMs, failures }: Level, nowMs: number): number => {
  const { free, waitSMax } = paces[kind]
  const over = Math.floor(failures) - free
  if (over < 0) return 0
  return Math.max(0, atMs + Math.min(2 ** over, waitSMax) * 1000 - nowMs)
}

/** The count after one more attempt at `nowMs`, which counts as a failure until it succeeds. */
export const afterAttempt = (kind: PaceKind, { atMs, failures }: Level, nowMs: number): Level => {
  const decayed = Math.max(0, nowMs - atMs) / 1000 / paces[kind].decayS
  return { failures: Math.max(0, failures - decayed) + 1, atMs: nowMs }
}
