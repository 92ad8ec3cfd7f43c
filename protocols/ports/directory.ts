/**
 * The directory: which environments and routers are active. A port that gateways and actors read and the store answers.
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
  /** The environment of a router, or null when it is not enrolled in an active one. */
  readonly environmentOf: (routerId: string) => Effect.Effect<string | null, StoreUnavailable>
  /** Adds or replaces an environment with its routers: those that are not named any more are released. Without an origin it is live. */
  readonly enrol: (
    environment: Environment,
    routerIds: ReadonlyArray<string>,
    origin?: Origin,
  ) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/protocols/Directory") {}
