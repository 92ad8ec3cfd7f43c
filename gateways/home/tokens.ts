/**
 * Tokens of the home API: those of the settings, and those that were registered at run time.
 *
 * Only the SHA-256 of a token is kept; a token has 256 random bits, so a slower hash is not needed. Invariants: without tokens all requests are
 * rejected; a check compares with every token in constant time; the store's answer is valid for `validMs`, so a revocation on another node
 * takes effect that late, and one on this node at once. In development mode every token is accepted, with a warning each time.
 */
import { Clock, Effect, Layer, Redacted, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { createHash, timingSafeEqual } from "node:crypto"
import { givenHomeToken, HomeTokenIsGiven, type HomeUser } from "../../protocols/domain/home-token.ts"
import { HomeTokens, HomeTokenStore, type StoredHomeToken } from "../../protocols/ports/home-tokens.ts"

interface HomeTokenOptions {
  /** Tokens of the settings. */
  readonly given: ReadonlyArray<Redacted.Redacted>
  /** Accepts every token that is not empty. */
  readonly development: boolean
}

const validMs = 1_000
const tokenBytes = 32

const hashOf = (token: string): Uint8Array => createHash("sha256").update(token).digest()

/** The id of the user of a token from the settings: the same after a restart, and useless for guessing the token. */
const givenIdOf = (hash: Uint8Array): string => createHash("sha256").update(hash).digest("hex").slice(0, 32)

interface KnownToken extends HomeUser {
  readonly hash: Uint8Array
}

const knownOf = ({ hash, name, tokenId }: StoredHomeToken): KnownToken => ({ id: tokenId, name, hash })

const givenOf = (token: Redacted.Redacted, position: number) => {
  const hash = hashOf(Redacted.value(token))
  const listed = givenHomeToken(givenIdOf(hash), position)
  return { id: listed.tokenId, name: listed.name, hash, listed }
}

const development: HomeUser = { id: "0".repeat(32), name: "development" }

/** The user of the token of this hash; the time of the search reveals nothing. */
const find = (tokens: ReadonlyArray<KnownToken>, hash: Uint8Array): HomeUser | null => {
  let found: HomeUser | null = null
  for (const token of tokens) if (timingSafeEqual(token.hash, hash)) found = { id: token.id, name: token.name }
  return found
}

const make = Effect.fnUntraced(function* ({ development: acceptsAll, given }: HomeTokenOptions) {
  const store = yield* HomeTokenStore
  const random = yield* SecureRandom.SecureRandom
  const scope = yield* Effect.scope
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  const settings = given.map(givenOf)
  const closers = new Set<{ readonly id: string; readonly close: () => void }>()
  let registered: ReadonlyArray<KnownToken> = []
  let readMs = -Infinity

  /** The registered tokens, at most `validMs` old. Connections of revoked tokens are closed. */
  const current = oneAtATime(Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (nowMs - readMs < validMs) return registered
    registered = (yield* store.all).map(knownOf)
    readMs = nowMs
    const ids = new Set([...settings, ...registered].map(({ id }) => id))
    for (const { close, id } of closers) if (!ids.has(id)) close()
    return registered
  }))
  const reload = Effect.suspend(() => {
    readMs = -Infinity
    return current
  })

  // While clients are connected, revocations on other nodes are read.
  const check = Effect.suspend(() => closers.size === 0 ? Effect.void : Effect.ignore(current))
  yield* Effect.forkIn(Effect.forever(Effect.andThen(Effect.sleep(validMs), check)), scope)

  return HomeTokens.of({
    check: Effect.fnUntraced(function* (token) {
      if (token === "") return null
      if (acceptsAll) {
        yield* Effect.logWarning(
          "home API: development mode accepts any token (WAVEPOSE_HOME_DEV=1); never use it in production",
        )
        return development
      }
      const hash = hashOf(token)
      return find(settings, hash) ?? find(yield* current, hash)
    }),
    ended: (user) =>
      user.id === development.id ? Effect.never : Effect.callback<void>((resume) => {
        const closer = { id: user.id, close: () => resume(Effect.void) }
        closers.add(closer)
        return Effect.sync(() => void closers.delete(closer))
      }),
    all: Effect.map(store.all, (stored) => [...settings.map(({ listed }) => listed), ...stored]),
    register: Effect.fnUntraced(function* (name, by) {
      const text = Buffer.from(yield* random.randomBytes(tokenBytes)).toString("base64url")
      const token = {
        tokenId: (yield* random.uuidV7()).replaceAll("-", ""),
        name,
        createdAtMs: yield* Clock.currentTimeMillis,
        createdBy: by,
      }
      yield* store.add({ ...token, hash: hashOf(text) })
      yield* reload
      return { text, token }
    }),
    revoke: Effect.fnUntraced(function* (tokenId) {
      if (settings.some(({ id }) => id === tokenId)) return yield* HomeTokenIsGiven.now
      const removed = yield* store.remove(tokenId)
      yield* reload
      return removed
    }),
  })
})

export const layerHomeTokens = (options: HomeTokenOptions) => Layer.effect(HomeTokens, make(options))
