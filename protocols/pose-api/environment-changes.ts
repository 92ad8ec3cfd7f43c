/**
 * Endpoints of the group Environments that create and change one: their bodies, and what these say in the words of the domain.
 */
import { Schema } from "effect"
import { requestRules } from "./request-rules.ts"
import { areaM2, zoneKinds, zoneRoles } from "../../core/activity/zones.ts"
import { type Environment, Identifier, type Site } from "../domain/site.ts"
import { areaM2Min, zonesMax } from "../domain/zone.ts"
import type { EnvironmentChanges } from "../ports/enrolments.ts"
import { endpoint } from "./endpoint.ts"
import { detailCodec, environmentsGroup, environmentTag, siteBody } from "./environments.ts"
import type { FieldError } from "./edge-failures.ts"
import { Text } from "./fields.ts"

const routersMax = 256
const nodesMax = 256
const cornersMax = 64
const extentMMax = 100
const coordinateMMax = 1_000
/** How far outside the room's box a node may be: its wall, and the error of a measurement. */
const outsideMMax = 0.5

/** A coordinate in metres. */
const Coordinate = Schema.Finite.check(Schema.isBetween({ minimum: -coordinateMMax, maximum: coordinateMMax }))
const Position = Schema.Struct({ x: Coordinate, y: Coordinate, z: Coordinate })
type Position = typeof Position.Type

const Extent = Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(extentMMax))

/** The geometry of a room as bodies of requests have it. */
export const Geometry = Schema.Struct({
  size: Schema.Struct({ x: Extent, y: Extent, z: Extent }).annotate({
    description: "Extent of the room in metres: east, north and up.",
  }),
  nodes: Schema.Array(Schema.Struct({
    node_id: Identifier,
    position: Position.annotate({
      description: `Metres from the corner of the floor plan; in the room, or at most ${outsideMMax} m outside.`,
    }),
    array_axis: Position.annotate({ description: "Direction along the antennas, of any length but 0." }),
  })).check(Schema.isMaxLength(nodesMax)),
}).annotate({ identifier: "GeometryInput" })

const Zone = Schema.Struct({
  zone_id: Identifier,
  name: Text(1, 128),
  kind: Schema.optionalKey(Schema.Literals(zoneKinds).annotate({ default: "general" })),
  role: Schema.optionalKey(Schema.NullOr(Schema.Literals(zoneRoles)).annotate({ default: null })),
  polygon: Schema.Array(Schema.Struct({ x: Coordinate, y: Coordinate })).check(
    Schema.isMinLength(3),
    Schema.isMaxLength(cornersMax),
  ).annotate({ description: `Corners on the floor plan in their order, metres; at least ${areaM2Min} m2.` }),
}).annotate({ identifier: "ZoneInput" })

const fields = {
  geometry: Schema.optionalKey(
    Schema.NullOr(Geometry).annotate({
      description: "Null if unknown: presence, motion and breathing work without it.",
    }),
  ),
  zones: Schema.optionalKey(Schema.Array(Zone).check(Schema.isMaxLength(zonesMax))),
  routers: Schema.optionalKey(
    Schema.Array(Identifier).check(Schema.isMaxLength(routersMax)).annotate({
      description: "The routers that send CSI of this environment. A router belongs to one environment.",
    }),
  ),
}

const ChangeBody = Schema.Struct({ name: Schema.optionalKey(Text(1, 128)), ...fields })
type ChangeBody = typeof ChangeBody.Type

const positionOf = ({ x, y, z }: Position) => [x, y, z] as const

/** A vector of length 1; one that has it already stays as it is. */
const unit = ({ x, y, z }: Position): readonly [number, number, number] => {
  const length = Math.hypot(x, y, z)
  return Math.abs(length - 1) < 1e-6 ? [x, y, z] : [x / length, y / length, z / length]
}

const polygonOf = (polygon: (typeof Zone.Type)["polygon"]) => polygon.map(({ x, y }) => [x, y] as const)

export const geometryOf = ({ nodes, size }: typeof Geometry.Type): NonNullable<Environment["geometry"]> => ({
  size: positionOf(size),
  nodes: nodes.map(({ array_axis, node_id, position }) => ({
    nodeId: node_id,
    position: positionOf(position),
    arrayAxis: unit(array_axis),
  })),
})

/** The change that a body asks for. */
export const changesOf = ({ geometry, name, routers, zones }: ChangeBody): EnvironmentChanges => ({
  ...(name === undefined ? {} : { name }),
  ...(geometry === undefined ? {} : { geometry: geometry === null ? null : geometryOf(geometry) }),
  ...(zones === undefined ? {} : {
    zones: zones.map(({ kind = "general", name, polygon, role = null, zone_id }) => ({
      zoneId: zone_id,
      name,
      kind,
      ...(role === null ? {} : { role }),
      polygon: polygonOf(polygon),
    })),
  }),
  ...(routers === undefined ? {} : { routerIds: routers }),
})

/** Errors of the values that occur a second time. */
const repeatedErrors = (values: ReadonlyArray<string>, fieldOf: (index: number) => string): ReadonlyArray<FieldError> =>
  values.flatMap((value, i) =>
    values.indexOf(value) === i ? [] : [{ field: fieldOf(i), message: "is given more than once", received: value }]
  )

const axes = ["x", "y", "z"] as const

export const geometryErrors = ({ nodes, size }: typeof Geometry.Type): ReadonlyArray<FieldError> => [
  ...repeatedErrors(nodes.map(({ node_id }) => node_id), (i) => `geometry.nodes.${i}.node_id`),
  ...nodes.flatMap(({ array_axis, position }, i): ReadonlyArray<FieldError> => [
    ...axes.flatMap((axis) => {
      const received = position[axis]
      if (received >= -outsideMMax && received <= size[axis] + outsideMMax) return []
      const message = `must be from ${-outsideMMax} to ${size[axis] + outsideMMax} m: the room is ${size[axis]} m wide`
      return [{ field: `geometry.nodes.${i}.position.${axis}`, message, received }]
    }),
    ...(Math.hypot(...positionOf(array_axis)) > 0
      ? []
      : [{ field: `geometry.nodes.${i}.array_axis`, message: "must not be zero", received: null }]),
  ]),
]

const zoneErrors = (zones: NonNullable<ChangeBody["zones"]>): ReadonlyArray<FieldError> => [
  ...repeatedErrors(zones.map(({ zone_id }) => zone_id), (i) => `zones.${i}.zone_id`),
  ...zones.flatMap(({ polygon }, i) =>
    areaM2(polygonOf(polygon)) >= areaM2Min
      ? []
      : [{ field: `zones.${i}.polygon`, message: `must cover at least ${areaM2Min} m2`, received: null }]
  ),
]

/** What is wrong with a body whose fields are each of the right type and size. */
export const changeErrors = ({ geometry, routers = [], zones = [] }: ChangeBody): ReadonlyArray<FieldError> => [
  ...(geometry == null ? [] : geometryErrors(geometry)),
  ...zoneErrors(zones),
  ...repeatedErrors(routers, (i) => `routers.${i}`),
]

/** The body that creates the environment of a site file. */
export const creationOf = ({ routers, ...environment }: Site) => ({
  environment_id: environment.environmentId,
  name: environment.name,
  ...siteBody(environment, routers),
})

export const createEnvironment = endpoint({
  method: "POST",
  path: "/environments",
  rules: [requestRules.geometry],
  group: environmentsGroup,
  summary: "Create an environment of real routers",
  access: "write:configuration",
  category: "configuration",
  body: {
    schema: Schema.Struct({
      environment_id: Identifier,
      name: Text(1, 128),
      ...fields,
      activate: Schema.optionalKey(
        Schema.Boolean.annotate({
          default: false,
          description:
            "Makes it active until the running nodes stop, whatever their source. Default: it is active while a node " +
            "waits for routers (`--source none`).",
        }),
      ),
    }),
    required: true,
  },
  status: 201,
  response: { bare: detailCodec, envelope: detailCodec },
  etag: environmentTag,
  failures: ["EnrolmentConflict", "StoreUnavailable"],
})

export const changeEnvironment = endpoint({
  method: "PUT",
  path: "/environments/{environment_id}",
  rules: [requestRules.geometry, requestRules.ifMatch],
  group: environmentsGroup,
  summary: "Change the name, geometry, zones or routers of an environment; fields that are not given stay",
  access: "write:configuration",
  category: "configuration",
  params: Schema.Struct({ environment_id: Identifier }),
  body: { schema: ChangeBody, required: true },
  status: 200,
  response: { bare: detailCodec, envelope: detailCodec },
  etag: environmentTag,
  failures: ["EnrolmentConflict", "EnvironmentMoved", "UnknownEnvironment", "StoreUnavailable"],
})

/** The revision that a change is meant for; null: whatever it is. A tag of another kind is undefined. */
export const revisionOfTag = (ifMatch: string | null): string | null | undefined => {
  if (ifMatch === null || ifMatch.trim() === "*") return null
  return /^"([0-9a-f]{32})"$/.exec(ifMatch.trim())?.[1]
}
