/**
 * Endpoints of the group Configuration: the configuration, changing it, its schema, and the record of changes.
 *
 * A change may use the names of either form, nested or dotted (`{"detection.max_persons": 5}`), whatever the form of its answer. A
 * reported field may be sent back with the value that was read. Another value is rejected with what to do instead.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import { type Configuration, type ConfigurationChanges, defaultConfiguration } from "../domain/configuration.ts"
import { changesOf, type SettingProblem } from "../domain/configuration-change.ts"
import type { ConfigurationChange } from "../ports/configuration.ts"
import type { Configured } from "../messages/session.ts"
import {
  configurationBody,
  configurationTrees,
  everyField,
  fieldOf,
  nothingObserved,
  type Observed,
  settingOf,
} from "./configuration-fields.ts"
import { endpoint, type Fields, jsonCodec, type ResponseCodec } from "./endpoint.ts"
import type { FieldError } from "./edge-failures.ts"
import { Text } from "./fields.ts"
import { type Form, IsoTime, isoTime } from "./forms.ts"
import { changeSchema, formSchema, type Given, givenFields, toWire } from "./setting-tree.ts"

const group = "Configuration"
const actorFailures = ["StoreUnavailable", "ActorUnavailable", "AnswerTimeout"] as const

/** The entity tag of a revision, and the revision of a tag; null for a foreign tag. */
export const entityTagOf = (revision: number): string => `"r${revision}"`
export const revisionOf = (entityTag: string): number | null => {
  const digits = /^"r(\d{1,9})"$/.exec(entityTag.trim())?.[1]
  return digits === undefined ? null : Number(digits)
}

/** The configuration with the reported values. */
interface ConfigurationView {
  readonly revision: number
  readonly configuration: Configuration
  readonly observed: Observed
}

const configurationShape = (form: Form): Schema.Constraint =>
  (formSchema(configurationTrees[form]) as Schema.Codec<unknown>).annotate({ identifier: `Configuration.${form}` })

const viewCodec = (form: Form): ResponseCodec<ConfigurationView> => ({
  schema: configurationShape(form),
  text: ({ configuration, observed }) => JSON.stringify(configurationBody(form, configuration, observed)),
})

export const getConfiguration = endpoint({
  method: "GET",
  path: "/config",
  group,
  summary: "Get the configuration",
  access: "read:system",
  category: "configuration",
  status: 200,
  response: { bare: viewCodec("bare"), envelope: viewCodec("envelope") },
  etag: ({ revision }: ConfigurationView) => entityTagOf(revision),
  failures: actorFailures,
})

/** A change from a client. */
interface GivenChanges {
  readonly changes: ConfigurationChanges
  /** The client's name of each setting in the change. */
  readonly names: ReadonlyMap<string, string>
  /** Reported fields in the change, which cannot be set. */
  readonly reports: ReadonlyArray<Extract<Given<Observed>, { readonly report: unknown }>>
}

/** Reads a change. Returns field errors if one setting has two values. */
export const readChanges = (body: Record<string, unknown>): GivenChanges | ReadonlyArray<FieldError> => {
  const given = new Map<string, { readonly name: string; readonly value: unknown }>()
  const reports: Array<GivenChanges["reports"][number]> = []
  const errors: Array<FieldError> = []
  for (const field of givenFields(everyField, body)) {
    if ("report" in field) {
      reports.push(field)
      continue
    }
    const { name, setting: { path }, value } = field
    const before = given.get(path)
    if (before !== undefined && before.value !== value) {
      errors.push({
        field: name,
        message: `is the same setting as ${before.name}, which has another value. Send one of them`,
        received: value,
      })
    }
    given.set(path, { name, value })
  }
  if (errors.length > 0) return errors
  return {
    changes: changesOf([...given].map(([path, { value }]) => [path, value])),
    names: new Map([...given].map(([path, { name }]) => [path, name])),
    reports,
  }
}

/** Field errors for reported fields whose value differs from the reported one. */
export const refusedReports = (reports: GivenChanges["reports"], observed: Observed): ReadonlyArray<FieldError> =>
  reports.filter(({ report, value }) => report.read(observed) !== value)
    .map(({ name, report, value }) => ({ field: name, message: `cannot be set: ${report.reason}`, received: value }))

/** An applied change. */
interface ConfigurationUpdate {
  readonly configured: Configured
  readonly names: GivenChanges["names"]
  readonly warnings: ReadonlyArray<SettingProblem>
  readonly observed: Observed
}

const Warnings = Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String })).annotate({
  description: "Settings that are valid but may be unintended.",
})

const warningsBody = (form: Form, { names, warnings }: ConfigurationUpdate) =>
  warnings.map(({ message, setting }) => ({ field: names.get(setting) ?? fieldOf(form, setting), message }))

const changedFields = (form: Form, { configured, names }: ConfigurationUpdate): ReadonlyArray<string> =>
  configured.changed.map((path) => names.get(path) ?? fieldOf(form, path))

const ChangedFields = Schema.Array(Schema.String).annotate({
  description: "Dotted names of the fields whose value has changed, as in the request.",
})

const bareUpdate = jsonCodec(
  Schema.Struct({
    status: Schema.Literals(["updated", "unchanged"]),
    changes_applied: ChangedFields,
    restart_required: Schema.Boolean,
    validation_warnings: Warnings,
  }),
  (update: ConfigurationUpdate) => ({
    status: update.configured.changed.length === 0 ? "unchanged" as const : "updated" as const,
    changes_applied: changedFields("bare", update),
    restart_required: update.configured.restartRequired.length > 0,
    validation_warnings: warningsBody("bare", update),
  }),
)

const envelopeUpdate: ResponseCodec<ConfigurationUpdate> = {
  schema: Schema.Struct({
    updated_fields: ChangedFields,
    requires_restart: Schema.Boolean,
    applied_at: IsoTime,
    configuration: configurationShape("envelope"),
    validation_warnings: Warnings,
  }),
  text: (update) =>
    JSON.stringify({
      updated_fields: changedFields("envelope", update),
      requires_restart: update.configured.restartRequired.length > 0,
      applied_at: isoTime(update.configured.atMs),
      configuration: configurationBody("envelope", update.configured.configuration, update.observed),
      validation_warnings: warningsBody("envelope", update),
    }),
}

export const putConfiguration = endpoint({
  method: "PUT",
  path: "/config",
  rules: [requestRules.ifMatch, "fields that are reported only are absent", requestRules.aliases],
  group,
  summary: "Change settings of the configuration, by the names of either form, nested or dotted",
  access: "write:configuration",
  category: "configuration",
  body: { schema: changeSchema(everyField) as Fields<Record<string, unknown>>, required: true },
  status: 200,
  response: { bare: bareUpdate, envelope: envelopeUpdate },
  etag: ({ configured }: ConfigurationUpdate) => entityTagOf(configured.revision),
  failures: [
    ...actorFailures,
    "ConfigurationMoved",
    "InvalidConfiguration",
    "SystemConflict",
    "UnknownEnvironment",
    "UnknownModel",
    "UnusableModel",
  ],
})

const schemaCodec = (form: Form): ResponseCodec<null> => {
  const { schema } = Schema.toJsonSchemaDocument(formSchema(configurationTrees[form]))
  const text = JSON.stringify({ schema, defaults: configurationBody(form, defaultConfiguration, nothingObserved) })
  const Json = Schema.Record(Schema.String, Schema.Unknown)
  return { schema: Schema.Struct({ schema: Json, defaults: Json }), text: () => text }
}

export const configurationSchema = endpoint({
  method: "GET",
  path: "/config/schema",
  group,
  summary: "Get the schema of the configuration: types, bounds, descriptions and defaults",
  access: "read:system",
  category: "configuration",
  status: 200,
  response: { bare: schemaCodec("bare"), envelope: schemaCodec("envelope") },
  failures: [],
})

/** A page of the record of changes. Older changes may follow. */
interface ChangesPage {
  readonly changes: ReadonlyArray<ConfigurationChange>
  readonly more: boolean
}

/** Maximum and default number of changes in a page. */
const pageMax = 100
export const changesDefault = 50

const Values = Schema.Record(Schema.String, Schema.Unknown)

const changesCodec = (form: Form) =>
  jsonCodec(
    Schema.Struct({
      changes: Schema.Array(Schema.Struct({
        revision: Schema.Int,
        changed_at: IsoTime,
        changed_by: Schema.Struct({
          kind: Schema.Literals(["user", "api_key", "node"]),
          id: Schema.String,
          name: Schema.String,
        }),
        fields: Schema.Array(Schema.String),
        before: Values,
        after: Values,
        taken_back: Schema.NullOr(Schema.String).annotate({
          description: "Why this change reverts an earlier one; null for a requested change.",
        }),
      })),
      pagination: Schema.Struct({ has_more: Schema.Boolean, next_cursor: Schema.NullOr(Schema.String) }),
    }),
    ({ changes, more }: ChangesPage) => ({
      changes: changes.map(({ after, atMs, before, by, fields, revision, takenBack }) => ({
        revision,
        changed_at: isoTime(atMs),
        changed_by: { ...by, kind: by.kind === "apiKey" ? "api_key" as const : by.kind },
        fields: fields.map((path) => fieldOf(form, path)),
        before: valuesOf(form, before),
        after: valuesOf(form, after),
        taken_back: takenBack,
      })),
      pagination: { has_more: more, next_cursor: more ? String(changes.at(-1)!.revision) : null },
    }),
  )

const valuesOf = (form: Form, values: ConfigurationChange["after"]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([path, value]) => {
      const setting = settingOf(form, path)
      return [fieldOf(form, path), setting === null ? value : toWire(setting, value)]
    }),
  )

export const configurationChanges = endpoint({
  method: "GET",
  path: "/config/changes",
  rules: [requestRules.cursor],
  group,
  summary: "List the changes of the configuration with their authors, newest first",
  access: "admin",
  category: "configuration",
  query: Schema.Struct({
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: pageMax })).annotate({ default: changesDefault }),
    ),
    cursor: Schema.optionalKey(Text(1, 16).annotate({ description: "`next_cursor` of the previous page." })),
  }),
  status: 200,
  response: { bare: changesCodec("bare"), envelope: changesCodec("envelope") },
  failures: ["StoreUnavailable"],
})
