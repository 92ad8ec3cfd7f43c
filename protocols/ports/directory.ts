/**
 * The directory of active environments and routers. Gateways and actors read it; the store implements it.
 *
 * An enrolled environment is active while a node runs that was started with its source; `enrolments.ts` has the others too.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable, UnknownEnvironment } from "../domain/failure.ts"
import type { Environment, Origin, RouterEnrolment } from "../domain/site.ts"

export class Directory extends Context.Service<Directory, {
  readonly environments: Effect.Effect<ReadonlyArray<Environment>, StoreUnavailable>
  readonly routers: Effect.Effect<ReadonlyArray<RouterEnrolment>, StoreUnavailable>
  readonly environment: (
    environmentId: string,
  ) => Effect.Effect<Environment, UnknownEnvironment | StoreUnavailable>
  /** The environment of a router; null if no active environment has the router. */
  readonly environmentOf: (routerId: string) => Effect.Effect<string | null, StoreUnavailable>
  /** Adds or replaces an environment with its routers. Routers that are no longer named are released. The default origin is live. */
  readonly enrol: (
    environment: Environment,
    routerIds: ReadonlyArray<string>,
    origin?: Origin,
  ) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/protocols/Directory") {}
