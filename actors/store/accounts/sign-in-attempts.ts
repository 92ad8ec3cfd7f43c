/**
 * Counts sign-in attempts in the database, by the rules of `protocols/domain/sign-in-throttle.ts`.
 *
 * Invariants: keys are hashed with a secret of the cluster into `slotsPerKind` slots per kind, so the number of rows is
 * bounded and an attacker cannot choose a victim's slot. A user has at most `addressesMax` known addresses.
 */
import { Clock, Effect, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import type { StoreUnavailable } from "../../../protocols/domain/failure.ts"
import { RateLimited } from "../../../protocols/domain/rate-limit.ts"
import {
  afterAttempt,
  knownForMs,
  type Level,
  type PaceKind,
  paceKinds,
  paces,
  waitMs,
} from "../../../protocols/domain/sign-in-throttle.ts"
import { SignInAttempts } from "../../../protocols/ports/sign-in-attempts.ts"
import { orStoreUnavailable } from "../database/database.ts"
import { signInSlotKey } from "../encryption/cluster-secrets.ts"

const slotsPerKind = 2 ** 18
const addressesMax = 32

/** The slots of an attempt, by kind. */
type Slots = Readonly<Record<PaceKind, number>>

/** The subject of a kind of count. */
const subjectOf: Readonly<Record<PaceKind, (username: string, address: string) => string>> = {
  pair: (username, address) => `${address} ${username}`,
  address: (_, address) => address,
  account: (username) => username,
}

const slotsOf = (key: string, username: string, address: string): Slots => {
  const slot = (kind: PaceKind) => {
    const hash = createHmac("sha256", key).update(`${kind} ${subjectOf[kind](username, address)}`).digest()
    return paceKinds.indexOf(kind) * slotsPerKind + hash.readUInt32BE() % slotsPerKind
  }
  return { pair: slot("pair"), address: slot("address"), account: slot("account") }
}

const refusal = (kind: PaceKind, forMs: number, nowMs: number): RateLimited => {
  const retryAfterS = Math.ceil(forMs / 1000)
  return new RateLimited({
    limit: paces[kind].free,
    windowS: paces[kind].free * paces[kind].decayS,
    resetMs: nowMs + forMs,
    retryAfterS,
    message: `There were too many attempts to sign in. Try again in ${retryAfterS} seconds.`,
  })
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const key = yield* signInSlotKey
  const noFailures: Level = { failures: 0, atMs: 0 }

  /** Counts an attempt, or returns the count that rejects it and how long to wait. */
  const count = Effect.fnUntraced(function* (slots: Slots, username: string, address: string, nowMs: number) {
    // Every caller orders rows by slot, so that attempts cannot deadlock.
    const ordered = Object.values(slots).sort((a, b) => a - b)
    yield* sql`INSERT INTO sign_in_failures (slot, failures, at)
      SELECT slot, 0, to_timestamp(0) FROM unnest(${ordered}::int4[]) AS slot ON CONFLICT DO NOTHING`
    const rows = yield* sql<Level & { readonly slot: number }>`
      SELECT slot, failures, (extract(epoch FROM at) * 1000)::float8 AS "atMs" FROM sign_in_failures
      WHERE slot = ANY(${ordered}::int4[]) ORDER BY slot FOR UPDATE`
    const known = yield* sql`
      SELECT 1 FROM sign_in_addresses JOIN users USING (user_id)
      WHERE username = ${username} AND address = ${address}
        AND last_at > to_timestamp(${(nowMs - knownForMs) / 1000}::float8)`
    const levelOf = (kind: PaceKind): Level => rows.find(({ slot }) => slot === slots[kind]) ?? noFailures
    for (const kind of paceKinds) {
      const forMs = kind === "account" && known.length > 0 ? 0 : waitMs(kind, levelOf(kind), nowMs)
      if (forMs > 0) return refusal(kind, forMs, nowMs)
    }
    // Sent as text: the driver gives integers and fractions different types.
    const levels = paceKinds.map((kind) => String(afterAttempt(kind, levelOf(kind), nowMs).failures))
    yield* sql`UPDATE sign_in_failures SET failures = counted.failures, at = to_timestamp(${nowMs / 1000}::float8)
      FROM unnest(${
      paceKinds.map((kind) => slots[kind])
    }::int4[], ${levels}::text[]::float8[]) AS counted (slot, failures)
      WHERE sign_in_failures.slot = counted.slot`
    return null
  })

  /** Reverts a successful attempt: the account has no failures from this address any more. */
  const takeBack = Effect.fnUntraced(function* (slots: Slots) {
    yield* sql`SELECT 1 FROM sign_in_failures WHERE slot = ANY(${
      Object.values(slots)
    }::int4[]) ORDER BY slot FOR UPDATE`
    yield* sql`UPDATE sign_in_failures SET failures = CASE slot WHEN ${slots.pair} THEN 0 ELSE greatest(0, failures - 1) END
      WHERE slot = ANY(${Object.values(slots)}::int4[])`
  })

  return SignInAttempts.of({
    begin: Effect.fnUntraced(
      function* (username, address): Effect.fn.Return<void, RateLimited | StoreUnavailable> {
        const nowMs = yield* Clock.currentTimeMillis
        const slots = slotsOf(key, username, address)
        const refused = yield* orStoreUnavailable(sql.withTransaction(count(slots, username, address, nowMs)))
        if (refused !== null) return yield* refused
      },
    ),
    succeeded: Effect.fnUntraced(function* ({ userId, username }, address) {
      const nowMs = yield* Clock.currentTimeMillis
      const slots = slotsOf(key, username, address)
      yield* orStoreUnavailable(sql.withTransaction(Effect.gen(function* () {
        yield* takeBack(slots)
        yield* sql`
          INSERT INTO sign_in_addresses (user_id, address, last_at)
          SELECT user_id, ${address}, to_timestamp(${nowMs / 1000}::float8) FROM users WHERE user_id::text = ${userId}
          ON CONFLICT (user_id, address) DO UPDATE SET last_at = excluded.last_at`
        yield* sql`DELETE FROM sign_in_addresses WHERE user_id::text = ${userId} AND address IN (
          SELECT address FROM sign_in_addresses WHERE user_id::text = ${userId}
          ORDER BY last_at DESC, address OFFSET ${addressesMax})`
      })))
    }),
  })
})

export const layerSignInAttempts: Layer.Layer<
  SignInAttempts,
  StoreUnavailable,
  SqlClient.SqlClient | SecureRandom.SecureRandom
> = Layer.effect(SignInAttempts, make)
