/**
 * The enrolments: all known environments, active or not, with their origins; their creation, change and removal. The store
 * implements the port.
 */
import { Context, type Effect } from "effect"
import type { EnrolmentConflict, EnvironmentMoved, StoreUnavailable, UnknownEnvironment } from "../domain/failure.ts"
import type { Environment, Origin } from "../domain/site.ts"

/** An environment, its routers, and its origin. */
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

/** The parts of an environment that a change may replace. Absent parts stay. */
export interface EnvironmentChanges {
  readonly name?: string
  readonly geometry?: Environment["geometry"]
  readonly zones?: NonNullable<Environment["zones"]>
  readonly routerIds?: ReadonlyArray<string>
}

/** Additional properties of a new environment. */
interface NewEnrolment {
  readonly routerIds: ReadonlyArray<string>
  /** Active also without a source of a running node, until the running nodes stop. */
  readonly activate: boolean
}

/** Numbers of rows that were deleted with the history of an environment. */
export interface DroppedHistory {
  readonly frames: number
  readonly events: number
  readonly tracks: number
  /** Those and all other rows. */
  readonly rows: number
}

export class Enrolments extends Context.Service<Enrolments, {
  /** Sorted by id. */
  readonly all: Effect.Effect<ReadonlyArray<Enrolled>, StoreUnavailable>
  /** One of them. The failure names the known ids. */
  readonly one: (environmentId: string) => Effect.Effect<Enrolled, UnknownEnvironment | StoreUnavailable>
  /** Enrols a new environment, of origin `live`. */
  readonly create: (
    environment: Environment,
    enrolment: NewEnrolment,
  ) => Effect.Effect<Enrolled, EnrolmentConflict | StoreUnavailable>
  /** Changes an environment. `ifRevision` null: whatever its revision is. */
  readonly change: (
    environmentId: string,
    changes: EnvironmentChanges,
    ifRevision: string | null,
  ) => Effect.Effect<Enrolled, EnrolmentConflict | EnvironmentMoved | UnknownEnvironment | StoreUnavailable>
  /** Removes an environment with its routers and what they learned. Returns false if it is not enrolled. History is kept. */
  readonly remove: (environmentId: string) => Effect.Effect<boolean, StoreUnavailable>
  /** Deletes the frames, events, tracks and sums of an environment, enrolled or not. A repetition deletes the rest. Frame ids are not reused. */
  readonly dropHistory: (environmentId: string) => Effect.Effect<DroppedHistory, StoreUnavailable>
}>()("wavepose/protocols/Enrolments") {}
