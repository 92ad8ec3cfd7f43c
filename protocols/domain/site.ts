/**
 * Sites: environments, their geometry and the routers enrolled in them.
 */
import { Schema } from "effect"
import { Source } from "./provenance.ts"
import { Zones } from "./zone.ts"

/** Ids that appear in paths, keys and logs. */
export const Identifier = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/u))

const Vector3 = Schema.Tuple([Schema.Number, Schema.Number, Schema.Number])

/** A radio node of the site; see `core/imaging/geometry.ts`. */
export const RadioNode = Schema.Struct({ nodeId: Identifier, position: Vector3, arrayAxis: Vector3 })

/** The room and its nodes, in metres of the world frame. */
const SiteGeometry = Schema.Struct({ size: Vector3, nodes: Schema.Array(RadioNode) })
type SiteGeometry = typeof SiteGeometry.Type

/** A place with its routers. `geometry` is null if it was not measured: presence and motion still work. */
export const Environment = Schema.Struct({
  environmentId: Identifier,
  name: Schema.String,
  geometry: Schema.NullOr(SiteGeometry),
  zones: Schema.optionalKey(Zones),
})
export type Environment = typeof Environment.Type

/** A router that may send CSI, and its environment. */
export const RouterEnrolment = Schema.Struct({ routerId: Identifier, environmentId: Identifier })
export type RouterEnrolment = typeof RouterEnrolment.Type

/**
 * The origin of an environment: the kind of source of its routers, and the name of the site file, recordings or scenario; null if that
 * was not recorded.
 */
export const Origin = Schema.Struct({ source: Source, name: Schema.NullOr(Schema.String) })
export type Origin = typeof Origin.Type

/** An environment and its routers: the content of a site file. */
export const Site = Schema.Struct({ ...Environment.fields, routers: Schema.Array(Identifier) })
export type Site = typeof Site.Type
