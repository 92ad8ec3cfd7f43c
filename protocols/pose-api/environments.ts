/**
 * Endpoints of the group Environments: the enrolled environments with their origins, and their removal. `environment-changes.ts` has their
 * creation and change.
 */
import { Schema } from "effect"
import { zoneKinds, zoneRoles } from "../../core/activity/zones.ts"
import { Source } from "../domain/provenance.ts"
import { type Environment, Identifier } from "../domain/site.ts"
import type { DroppedHistory, Enrolled } from "../ports/enrolments.ts"
import { endpoint, jsonCodec } from "./endpoint.ts"
import { Count, NullableString } from "./fields.ts"
import { IsoTime, isoTime } from "./forms.ts"
import { Point } from "./pose-schema.ts"

export const environmentsGroup = "Environments"

const EnvironmentBody = Schema.Struct({
  environment_id: Schema.String,
  name: Schema.String,
  active: Schema.Boolean.annotate({
    description: "Whether a node with its source is running. All other answers omit an environment that is not active.",
  }),
  origin: Schema.Struct({
    source: Source,
    name: NullableString.annotate({
      description: "The site file, recordings or scenario that enrolled it; null if a request did.",
    }),
  }).annotate({ identifier: "Origin" }),
  routers: Schema.Array(Schema.String),
  enrolled_at: IsoTime,
}).annotate({ identifier: "EnvironmentSummary" })

const vector = (identifier: string) =>
  Schema.Struct({ x: Schema.Finite, y: Schema.Finite, z: Schema.Finite }).annotate({ identifier })

const Position = vector("Position")

const GeometryBody = Schema.Struct({
  size: Position,
  nodes: Schema.Array(
    Schema.Struct({
      node_id: Schema.String,
      position: Position,
      array_axis: vector("UnitVector"),
    }).annotate({ identifier: "RadioNode" }),
  ),
}).annotate({ identifier: "Geometry" })

const ZoneBody = Schema.Struct({
  zone_id: Schema.String,
  name: Schema.String,
  kind: Schema.Literals(zoneKinds),
  role: Schema.NullOr(Schema.Literals(zoneRoles)),
  polygon: Schema.Array(Point),
}).annotate({ identifier: "Zone" })

export const EnvironmentDetail = Schema.Struct({
  ...EnvironmentBody.fields,
  geometry: Schema.NullOr(GeometryBody).annotate({
    description: "Null if unknown: presence, motion and breathing work without it.",
  }),
  zones: Schema.Array(ZoneBody),
}).annotate({ identifier: "Environment" })

export const EnvironmentsBody = Schema.Struct({ environments: Schema.Array(EnvironmentBody) })

const environmentBody = ({ active, enrolledAtMs, environment, origin, routerIds }: Enrolled) => ({
  environment_id: environment.environmentId,
  name: environment.name,
  active,
  origin,
  routers: routerIds,
  enrolled_at: isoTime(enrolledAtMs),
})

const listCodec = jsonCodec(EnvironmentsBody, (enrolled: ReadonlyArray<Enrolled>) => ({
  environments: enrolled.map(environmentBody),
}))

const positionBody = ([x, y, z]: readonly [number, number, number]) => ({ x, y, z })

/** The entity tag of an environment. */
export const environmentTag = ({ revision }: Enrolled): string => `"${revision}"`

/** Geometry, zones and routers of an environment as bodies have them. */
export const siteBody = ({ geometry, zones = [] }: Environment, routerIds: ReadonlyArray<string>) => ({
  routers: routerIds,
  geometry: geometry === null ? null : {
    size: positionBody(geometry.size),
    nodes: geometry.nodes.map(({ arrayAxis, nodeId, position }) => ({
      node_id: nodeId,
      position: positionBody(position),
      array_axis: positionBody(arrayAxis),
    })),
  },
  zones: zones.map(({ kind, name, polygon, role = null, zoneId }) => ({
    zone_id: zoneId,
    name,
    kind,
    role,
    polygon: polygon.map(([x, y]) => ({ x, y })),
  })),
})

export const detailCodec = jsonCodec(EnvironmentDetail, (enrolled: Enrolled) => ({
  ...environmentBody(enrolled),
  ...siteBody(enrolled.environment, enrolled.routerIds),
}))

export const listEnvironments = endpoint({
  method: "GET",
  path: "/environments",
  group: environmentsGroup,
  summary: "List the enrolled environments, active or not, with their routers and origins",
  access: "read:system",
  category: "configuration",
  status: 200,
  response: { bare: listCodec, envelope: listCodec },
  failures: ["StoreUnavailable"],
})

export const readEnvironment = endpoint({
  method: "GET",
  path: "/environments/{environment_id}",
  group: environmentsGroup,
  summary: "One enrolled environment with its geometry and zones",
  access: "read:system",
  category: "configuration",
  params: Schema.Struct({ environment_id: Identifier }),
  status: 200,
  response: { bare: detailCodec, envelope: detailCodec },
  etag: environmentTag,
  failures: ["UnknownEnvironment", "StoreUnavailable"],
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
  deleted: dropped === null ? null : { frames: dropped.frames, events: dropped.events, tracks: dropped.tracks },
}))

export const removeEnvironment = endpoint({
  method: "DELETE",
  path: "/environments/{environment_id}",
  group: environmentsGroup,
  summary: "Remove an environment with its routers and their calibrations. Its streams end",
  access: "write:configuration",
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
