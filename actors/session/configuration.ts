/**
 * The plan of a configuration change: the configuration after it, the changed settings, and the record to save. Pure.
 *
 * Boundary: `reconfiguration.ts` saves a change together with the session's transition, and applies it.
 */
import { Effect } from "effect"
import {
  type Configuration,
  type ConfigurationChanges,
  defaultConfiguration,
} from "../../protocols/domain/configuration.ts"
import {
  changedSettings,
  configurationWith,
  contradictions,
  InvalidConfiguration,
  settingsAt,
} from "../../protocols/domain/configuration-change.ts"
import type { ChangedBy, StartOptions, SystemSession } from "../../protocols/domain/system.ts"
import type { ConfigurationRecord } from "../../protocols/ports/configuration.ts"
import type { ConfigurationState } from "../../protocols/messages/session.ts"

/** A valid change. */
export interface PlannedChange {
  readonly state: ConfigurationState
  readonly changed: ReadonlyArray<string>
  /** Null when nothing differs, so that nothing is saved. */
  readonly record: ConfigurationRecord | null
}

/** The author of changes that a process makes at its own start. */
export const thisNode: ChangedBy = { kind: "node", id: "", name: "start of a node" }

/** The configuration that a session runs with. */
export const configurationOf = ({ calibrationRequired: _, ...configuration }: StartOptions): Configuration =>
  configuration

/** The configuration before the first change: the options of a session saved by an older version, or the default. */
export const firstConfiguration = (session: SystemSession | null): ConfigurationState => ({
  revision: 0,
  configuration: session === null ? defaultConfiguration : configurationOf(session.options),
})

const planned = (
  before: ConfigurationState,
  configuration: Configuration,
  by: ChangedBy,
  atMs: number,
  takenBack: string | null,
): PlannedChange => {
  const changed = changedSettings(before.configuration, configuration)
  if (changed.length === 0) return { state: before, changed, record: null }
  const revision = before.revision + 1
  const change = {
    revision,
    atMs,
    by,
    fields: changed,
    before: settingsAt(before.configuration, changed),
    after: settingsAt(configuration, changed),
    takenBack,
  }
  return { state: { revision, configuration }, changed, record: { configuration, change } }
}

/** Plans a change; fails when the settings after it contradict each other. */
export const planChange = (
  before: ConfigurationState,
  changes: ConfigurationChanges,
  by: ChangedBy,
  atMs: number,
): Effect.Effect<PlannedChange, InvalidConfiguration> =>
  Effect.suspend(() => {
    const configuration = configurationWith(before.configuration, changes)
    const problems = contradictions(configuration)
    return problems.length > 0
      ? Effect.fail(InvalidConfiguration.of(problems))
      : Effect.succeed(planned(before, configuration, by, atMs, null))
  })

/** Plans the reversal of a change that was saved but could not be applied. */
export const planReversal = (
  from: PlannedChange,
  to: ConfigurationState,
  by: ChangedBy,
  atMs: number,
  reason: string,
): PlannedChange => planned(from.state, to.configuration, by, atMs, reason)
