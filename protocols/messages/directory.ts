/**
 * The directory: which environments and routers there are. A port that gateways and actors read and the store answers.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable, UnknownEnvironment } from "../domain/failure.ts"
import type { Environment, RouterEnrolment } from "../domain/site.ts"

export class Directory extends Context.Service<Directory, {
  readonly environments: Effect.Effect<ReadonlyArray<Environment>, StoreUnavailable>
  readonly routers: Effect.Effect<ReadonlyArray<RouterEnrolment>, StoreUnavailable>
  readonly environment: (
    environmentId: string,
  ) => Effect.Effect<Environment, UnknownEnvironment | StoreUnavailable>
  /** The environment of a router, or null when it is not enrolled. */
  readonly environmentOf: (routerId: string) => Effect.Effect<string | null, StoreUnavailable>
  /** Adds or replaces an environment and enrols its routers. */
  readonly enrol: (
    environment: Environment,
    routerIds: ReadonlyArray<string>,
  ) => Effect.Effect<void, StoreUnavailable>
}>()("wavepose/protocols/Directory") {}
