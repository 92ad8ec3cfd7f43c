/**
 * Endpoints of the group Environments: the enrolled environments with their origins, and their removal.
 */
import { Schema } from "effect"
import { Source } from "../domain/provenance.ts"
import { Identifier } from "../domain/site.ts"
import type { DroppedHistory, Enrolled } from "../ports/enrolments.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, NullableString } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"

const group = "Environments"

const EnvironmentBody = Schema.Struct({
  environment_id: Schema.String,
  name: Schema.String,
  active: Schema.Boolean.annotate({
    description: "Whether a node with its source is running. All other answers omit an environment that is not active.",
  }),
  origin: Schema.Struct({
    source: Source,
    name: NullableString.annotate({ description: "The site file, recordings or scenario that enrolled it." }),
  }),
  routers: Schema.Array(Schema.String),
  enrolled_at: IsoTime,
})

export const EnvironmentsBody = Schema.Struct({ environments: Schema.Array(EnvironmentBody) })

const listCodec = jsonCodec(EnvironmentsBody, (enrolled: ReadonlyArray<Enrolled>) => ({
  environments: enrolled.map(({ active, enrolledAtMs, environment, origin, routerIds }) => ({
    environment_id: environment.environmentId,
    name: environment.name,
    active,
    origin,
    routers: routerIds,
    enrolled_at: isoTime(enrolledAtMs),
  })),
}))

export const listEnvironments = endpoint({
  method: "GET",
  path: "/environments",
  group,
  summary: "List the enrolled environments, active or not, with their routers and origins",
  access: "read",
  category: "configuration",
  status: 200,
  response: { bare: listCodec, envelope: listCodec },
  failures: ["StoreUnavailable"],
})

const histories = ["keep", "drop"] as const

interface RemovedEnvironment {
  readonly environmentId: string
  /** Deleted rows; null: the history is kept. */
  readonly dropped: DroppedHistory | null
}

export const RemovedEnvironmentBody = Schema.Struct({
  environment_id: Schema.String,
  history: Schema.Literals(["kept", "dropped"]),
  deleted: Schema.NullOr(Schema.Struct({ frames: Count, events: Count, tracks: Count })).annotate({
    description: "Number of rows that were deleted with the history; null if it is kept.",
  }),
})

const removedCodec = jsonCodec(RemovedEnvironmentBody, ({ dropped, environmentId }: RemovedEnvironment) => ({
  environment_id: environmentId,
  history: dropped === null ? "kept" as const : "dropped" as const,
  deleted: dropped,
}))

export const removeEnvironment = endpoint({
  method: "DELETE",
  path: "/environments/{environment_id}",
  group,
  summary: "Remove an environment with its routers and their calibrations. Its streams end",
  access: "control",
  category: "configuration",
  params: Schema.Struct({ environment_id: Identifier }),
  query: Schema.Struct({
    history: Schema.optionalKey(Schema.Literals(histories)).annotate({
      description: "`drop` also deletes its frames, events, tracks and reports. Default: `keep`.",
    }),
  }),
  status: 200,
  response: { bare: removedCodec, envelope: removedCodec },
  failures: ["UnknownEnvironment", "StoreUnavailable"],
})
