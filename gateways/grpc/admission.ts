/**
 * Admits calls: identifies the caller, and checks the limits and the scope of the method.
 *
 * Invariants: no work is done for a call before it is admitted; every call is counted once, for its caller if the caller is known, else for
 * its address, against the same budget as REST requests in the bare form; a stream counts against the same limit as WebSocket
 * connections until it ends; a stream ends when its caller's credential ends, or when the server drains.
 */
import * as grpc from "@grpc/grpc-js"
import { Clock, Deferred, Effect } from "effect"
import { type Access, type Caller, NotAuthenticated } from "../../protocols/domain/identity.ts"
import { type Category, RateLimited, ruleOfCaller } from "../../protocols/domain/rate-limit.ts"
import { TooManyConnections } from "../../protocols/pose-api/edge-failures.ts"
import { Authenticator } from "../access/authenticator.ts"
import { authenticate, authorise, type HeaderReader } from "../access/authorise.ts"
import { accountKey, type CallerLimits } from "../access/caller-limits.ts"
import { clientAddress, type TrustedProxies } from "../access/client-address.ts"
import { limitHeaders, type Verdict } from "../access/rate-limiter.ts"
import { requestIdOf } from "../access/request-id.ts"
import { type CallFailure, GoingAway } from "./status.ts"

/** What a method declares about its access. */
export interface MethodAccess {
  readonly access: Access
  /** The limit that its calls count against before the caller is known. */
  readonly category: Category
}

export interface Admission {
  readonly authenticator: Authenticator["Service"]
  readonly limits: CallerLimits["Service"]
  readonly trustedProxies: TrustedProxies
  readonly uuid: () => string
  /** Marks the connection of a peer (`call.getPeer()`) as authenticated. */
  readonly authenticated: (peer: string) => void
  /** Done when the server drains. */
  readonly draining: Deferred.Deferred<void>
}

/** The parts of a call that admission reads and answers. */
export type AdmittedCall = Pick<grpc.ServerUnaryCall<unknown, unknown>, "metadata" | "getPeer" | "sendMetadata">

/** A client's metadata and address. */
export interface Client {
  readonly header: HeaderReader
  readonly requestId: string
  readonly address: () => string
}

const credentialEnded = new NotAuthenticated({
  message: "The credentials of this call have expired or were revoked. Sign in again.",
})

export const clientOf = ({ trustedProxies, uuid }: Admission, call: AdmittedCall): Client => {
  const header: HeaderReader = (name) => {
    const value = call.metadata.get(name)[0]
    return typeof value === "string" ? value : undefined
  }
  return {
    header,
    requestId: requestIdOf(header, uuid),
    address: () => clientAddress(call.getPeer().replace(/:\d+$/, ""), header("x-forwarded-for"), trustedProxies),
  }
}

/** Sends the metadata that every answer begins with. */
const sendHead = (call: AdmittedCall, { requestId }: Client, verdict: Verdict | null): void => {
  const head = new grpc.Metadata()
  head.set("x-request-id", requestId)
  if (verdict !== null) {
    for (const [name, value] of Object.entries(limitHeaders(verdict))) head.set(name.toLowerCase(), value)
  }
  call.sendMetadata(head)
}

const usedUp = ({ resetMs, rule }: Verdict) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => Effect.fail(RateLimited.ofWindow(rule, resetMs, nowMs)))

/** The caller of a call that may do its work; null on a public method. */
export const admit = Effect.fnUntraced(function* (
  admission: Admission,
  call: AdmittedCall,
  client: Client,
  { access, category }: MethodAccess,
): Effect.fn.Return<Caller | null, CallFailure> {
  const { authenticated, authenticator, limits: { requests } } = admission
  const byAddress = Effect.suspend(() => {
    const verdict = requests.ofAddress(category, client.address())
    return verdict === null || verdict.admitted ? Effect.succeed(verdict) : usedUp(verdict)
  })
  if (access === "public") {
    sendHead(call, client, yield* byAddress)
    return null
  }
  const caller = yield* authenticate(client.header).pipe(
    Effect.provideService(Authenticator, authenticator),
    Effect.tapError(() => byAddress),
  )
  authenticated(call.getPeer())
  const verdict = requests.ofCaller(ruleOfCaller("bare", category), caller)
  sendHead(call, client, verdict)
  if (verdict !== null && !verdict.admitted) return yield* usedUp(verdict)
  yield* authorise(caller, access)
  return caller
})

/** Counts an open stream of a caller until the effect ends. */
export const asOpenStream = <A, E>(
  { limits: { accounts } }: Admission,
  caller: Caller,
  stream: Effect.Effect<A, E>,
): Effect.Effect<A, E | TooManyConnections> =>
  Effect.suspend((): Effect.Effect<A, E | TooManyConnections> => {
    const account = accountKey(caller)
    if (!accounts.enter(account)) return Effect.fail(new TooManyConnections({ limit: accounts.perKeyMax }))
    return Effect.ensuring(stream, Effect.sync(() => accounts.leave(account)))
  })

/** Ends a stream when its caller's credential ends. */
export const whileAllowed = <A, E>({ authenticator }: Admission, caller: Caller, stream: Effect.Effect<A, E>) =>
  Effect.raceFirst(stream, Effect.andThen(authenticator.ended(caller), Effect.fail(credentialEnded)))

/** Ends a stream when the server drains. */
export const untilDraining = <A, E>({ draining }: Admission, stream: Effect.Effect<A, E>) =>
  Effect.raceFirst(stream, Effect.andThen(Deferred.await(draining), Effect.fail(GoingAway.now)))
