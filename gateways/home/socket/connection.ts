/**
 * One client of the home WebSocket: authenticates it, then runs its commands.
 *
 * Invariants: before authentication only the first message is read; commands start in the order of arrival, and up to `runningMax` run at a
 * time, so a slow one does not delay others; at most `subscriptionsMax` subscriptions, those that begin included; the connection ends with
 * its token.
 */
import { Cause, Effect, Fiber, Result, type Scope, Semaphore } from "effect"
import type { HomeUser } from "../../../protocols/domain/home-token.ts"
import { HomeTokens } from "../../../protocols/ports/home-tokens.ts"
import type { HomeUnavailable } from "../../../protocols/ports/home-runtime.ts"
import { readExactJson, readJson } from "../server/json.ts"
import { type Command, type HomeClient, type Refusal, refusal } from "./command.ts"
import { authInvalid, authOk, authRequired, readAuth, readCommand, refusalText, replyText } from "./framing.ts"
import type { HomeOutbox } from "./outbox.ts"

const authTimeout = "10 seconds"
const runningMax = 512
const subscriptionsMax = 1_024

/** The connection. */
interface HomeSocket {
  /** The text of the next message; null for a binary one. */
  readonly next: Effect.Effect<string | null>
  readonly outbox: HomeOutbox
  /** Call when the token is valid. */
  readonly authenticated: () => void
  /** Sends the queued messages, then closes. */
  readonly close: () => void
}

/** Commands by their types. */
export type Commands<R> = ReadonlyMap<string, Command<R>>

/** Authenticates the client; null if it is rejected. */
const authenticate = Effect.fnUntraced(function* (
  { close, next, outbox }: HomeSocket,
): Effect.fn.Return<HomeUser | null, HomeUnavailable, HomeTokens> {
  const first = yield* Effect.timeoutOption(next, authTimeout)
  const message = first._tag === "Some" ? readJson(first.value) : undefined
  if (message === undefined) {
    close()
    return null
  }
  const read = readAuth(message)
  const user = typeof read === "string" ? null : yield* (yield* HomeTokens).check(read.token)
  if (user !== null) return user
  outbox.push(authInvalid(typeof read === "string" ? read : "Invalid access token or password"))
  close()
  return null
})

/** The refusal of a failed command. A defect is logged; the client does not see its cause. */
const refusalOf = (cause: Cause.Cause<Refusal | HomeUnavailable>): Effect.Effect<Refusal> => {
  const failure = Cause.findError(cause)
  if (Result.isSuccess(failure)) {
    const { success } = failure
    return Effect.succeed(success._tag === "Refusal" ? success : refusal("home_assistant_error", success.message))
  }
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  return Effect.as(
    Effect.logError("a command of the home WebSocket failed unexpectedly", cause),
    refusal("unknown_error", "Unknown error"),
  )
}

const makeClient = (user: HomeUser, outbox: HomeOutbox) => {
  const subscriptions = new Map<number, () => void>()
  const client: HomeClient = {
    user,
    event: (id, events) => outbox.push(events.under(id)),
    subscribed: (id, end) => void subscriptions.set(id, end),
    unsubscribe: (id) => {
      subscriptions.get(id)?.()
      return subscriptions.delete(id)
    },
    coalesce: (on) => outbox.coalesce(on),
  }
  const endAll = () => {
    for (const end of subscriptions.values()) end()
    subscriptions.clear()
  }
  return { client, endAll, subscriptions }
}

const tooManySubscriptions = refusal(
  "not_allowed",
  `Too many subscriptions: at most ${subscriptionsMax}. Unsubscribe first.`,
)

/** Runs the commands of an authenticated client until it disconnects or sends invalid JSON. */
const runCommands = Effect.fnUntraced(function* <R>(
  { next, outbox }: HomeSocket,
  user: HomeUser,
  commands: Commands<R>,
): Effect.fn.Return<void, never, R | Scope.Scope> {
  const { client, endAll, subscriptions } = makeClient(user, outbox)
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<R>())
  const running = Semaphore.makeUnsafe(runningMax)
  let lastId = 0
  /** Running commands that may begin a subscription. */
  let beginning = 0
  yield* Effect.addFinalizer(() => Effect.sync(endAll))

  const begin = (command: Command<R>, id: number, message: object): Effect.Effect<void> =>
    Effect.sync(() => {
      const places = command.subscribes ? 1 : 0
      beginning += places
      const answer = command.run(client, id, message).pipe(
        Effect.matchCauseEffect({
          onSuccess: (reply) =>
            Effect.sync(() => {
              outbox.push(replyText(id, reply))
              reply.then?.()
            }),
          onFailure: (cause) => Effect.map(refusalOf(cause), (refused) => outbox.push(refusalText(id, refused))),
        }),
        Effect.ensuring(Effect.suspend(() => {
          beginning -= places
          return running.release(1)
        })),
      )
      const fiber = run(answer)
      if (fiber.pollUnsafe() === undefined) Fiber.runIn(fiber, scope)
    })

  const handle = Effect.fnUntraced(function* (given: unknown) {
    const read = readCommand(given, lastId)
    if ("refusal" in read) return outbox.push(refusalText(read.id, read.refusal))
    const { id, message, type } = read
    const command = commands.get(type)
    if (command === undefined) return outbox.push(refusalText(id, refusal("unknown_command", "Unknown command.")))
    lastId = id
    if (command.subscribes && subscriptions.size + beginning >= subscriptionsMax) {
      return outbox.push(refusalText(id, tooManySubscriptions))
    }
    yield* running.take(1)
    yield* begin(command, id, message)
  })

  while (true) {
    const text = yield* next
    // Binary messages have no handler.
    if (text === null) continue
    const message = readExactJson(text)
    if (message === undefined) return
    for (const one of Array.isArray(message) ? message : [message]) yield* handle(one)
  }
})

/** Serves a connection until the client disconnects, its token ends, or it sends invalid JSON. */
export const serveConnection = Effect.fnUntraced(function* <R>(socket: HomeSocket, commands: Commands<R>) {
  socket.outbox.push(authRequired)
  const user = yield* authenticate(socket)
  if (user === null) return
  socket.authenticated()
  socket.outbox.push(authOk)
  const { ended } = yield* HomeTokens
  yield* Effect.raceFirst(runCommands(socket, user, commands), ended(user))
  socket.close()
}, Effect.scoped)
