/**
 * The enrolments: every environment that is known, active or not, with what enrolled it; their creation, change and removal. The store
 * answers.
 */
import { Context, type Effect } from "effect"
import type { EnrolmentConflict, EnvironmentMoved, StoreUnavailable, UnknownEnvironment } from "../domain/failure.ts"
import type { Environment, Origin } from "../domain/site.ts"

/** An environment, its routers, and what enrolled it. */
export interface Enrolled {
  readonly environment: Environment
  readonly routerIds: ReadonlyArray<string>
  readonly origin: Origin
  /** Whether a node runs that was started with its source. */
  readonly active: boolean
  readonly enrolledAtMs: number
  /** Differs whenever name, geometry, zones or routers differ. */
  readonly revision: string
}

/** The parts of an environment that a change may replace; those that are not given stay. */
export interface EnvironmentChanges {
  readonly name?: string
  readonly geometry?: Environment["geometry"]
  readonly zones?: NonNullable<Environment["zones"]>
  readonly routerIds?: ReadonlyArray<string>
}

/** What a new environment has beside itself. */
interface NewEnrolment {
  readonly routerIds: ReadonlyArray<string>
  /** Active also beside the sources of the nodes that run now, until they stop. */
  readonly activate: boolean
}

/** Rows that were deleted with the history of an environment. */
export interface DroppedHistory {
  readonly frames: number
  readonly events: number
  readonly tracks: number
}

export class Enrolments extends Context.Service<Enrolments, {
  /** In the order of their ids. */
  readonly all: Effect.Effect<ReadonlyArray<Enrolled>, StoreUnavailable>
  /** One of them; the failure names those that there are. */
  readonly one: (environmentId: string) => Effect.Effect<Enrolled, UnknownEnvironment | StoreUnavailable>
  /** Enrols a new environment, of origin `live`. */
  readonly create: (
    environment: Environment,
    enrolment: NewEnrolment,
  ) => Effect.Effect<Enrolled, EnrolmentConflict | StoreUnavailable>
  /** Changes an environment; `ifRevision` null: whatever its revision is. */
  readonly change: (
    environmentId: string,
    changes: EnvironmentChanges,
    ifRevision: string | null,
  ) => Effect.Effect<Enrolled, EnrolmentConflict | EnvironmentMoved | UnknownEnvironment | StoreUnavailable>
  /** Removes an environment with its routers and what they learned; answers false when it is not enrolled. History is kept. */
  readonly remove: (environmentId: string) => Effect.Effect<boolean, StoreUnavailable>
  /** Deletes the frames, events, tracks and sums of an environment, enrolled or not. Frame ids are not used again. */
  readonly dropHistory: (environmentId: string) => Effect.Effect<DroppedHistory, StoreUnavailable>
}>()("wavepose/protocols/Enrolments") {}
