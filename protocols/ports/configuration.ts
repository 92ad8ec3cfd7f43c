/**
 * The configuration as other actors and gateways read it: ports that the store implements.
 *
 * Boundary: only the Session actor changes it (`protocols/messages/session.ts`).
 */
import { Context, type Effect, Schema } from "effect"
import type { Configuration } from "../domain/configuration.ts"
import type { StoreUnavailable } from "../domain/failure.ts"
import { ChangedBy } from "../domain/system.ts"

export class Configurations extends Context.Service<Configurations, {
  /** The configuration, at most a second old. */
  readonly current: Effect.Effect<Configuration, StoreUnavailable>
}>()("wavepose/protocols/Configurations") {}

/** The record of one change: only the changed fields, by the dotted paths of `Configuration`. */
export const ConfigurationChange = Schema.Struct({
  /** The revision after the change. */
  revision: Schema.Int,
  atMs: Schema.Number,
  by: ChangedBy,
  fields: Schema.Array(Schema.String),
  before: Schema.Record(Schema.String, Schema.Unknown),
  after: Schema.Record(Schema.String, Schema.Unknown),
  /** Why an earlier change was reverted; null for a requested change. */
  takenBack: Schema.NullOr(Schema.String),
})
export type ConfigurationChange = typeof ConfigurationChange.Type

/** A configuration as it is stored, with the record of the change that led to it. */
export interface ConfigurationRecord {
  readonly configuration: Configuration
  readonly change: ConfigurationChange
}

export class ConfigurationHistory extends Context.Service<ConfigurationHistory, {
  /** The changes before this revision (null: all), newest first, at most `limit`. */
  readonly changes: (
    beforeRevision: number | null,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<ConfigurationChange>, StoreUnavailable>
}>()("wavepose/protocols/ConfigurationHistory") {}
