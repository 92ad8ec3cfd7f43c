/**
 * `grpc.health.v1`: the server is `SERVING` while it runs, until the node is about to stop. The services that need a running system are `NOT_SERVING` while it is stopped.
 */
import type * as grpc from "@grpc/grpc-js"
import { Effect } from "effect"
import { HealthImplementation } from "grpc-health-check"
import { ask } from "../../protocols/messages/call-actor.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { Stopping } from "../../protocols/ports/stopping.ts"

/** The state of the system is read this often. */
const lookInterval = "1 second"
/** A session that does not answer within this time keeps the last status. */
const askedMsMax = 2_000

interface HealthOptions {
  /** All services by their full names. */
  readonly services: ReadonlyArray<string>
  /** Services that need a running system. */
  readonly needSystem: ReadonlyArray<string>
}

/** Adds the health service to a server. Follows the system in the scope in context. The effect in the answer reports a shutdown. */
export const serveHealth = Effect.fnUntraced(function* (server: grpc.Server, { needSystem, services }: HealthOptions) {
  const names = ["", ...services]
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, "SERVING" as const])))
  health.addToServer(server)
  const session = (yield* Session.client)(sessionEntityId)
  const stopping = yield* Stopping
  const reportShutdown = Effect.sync(() => names.forEach((name) => health.setStatus(name, "NOT_SERVING")))
  const lookAtSession = ask("The system session", session.Status(), askedMsMax).pipe(
    Effect.map(({ status }) => status === "running" ? "SERVING" : "NOT_SERVING"),
    Effect.tap((status) => Effect.sync(() => needSystem.forEach((name) => health.setStatus(name, status)))),
    Effect.catchCause((cause) => Effect.logDebug("the state of the system could not be read", cause)),
  )
  const look = Effect.suspend(() => stopping.current ? reportShutdown : lookAtSession)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(lookInterval))))
  return reportShutdown
})
