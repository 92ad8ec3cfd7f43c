/** What clients are told about the services of the home. */
import { Schema } from "effect"

/** A service in the form of the API. */
const ServiceDescription = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  fields: Schema.Record(Schema.String, Schema.Json),
  target: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** Absent: it never returns a response. `optional` false: it always does. */
  response: Schema.optionalKey(Schema.Struct({ optional: Schema.Boolean })),
  description_placeholders: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
})
export type ServiceDescription = typeof ServiceDescription.Type

/** By domain and by name. */
export const ServiceDescriptions = Schema.Record(Schema.String, Schema.Record(Schema.String, ServiceDescription))
export type ServiceDescriptions = typeof ServiceDescriptions.Type
