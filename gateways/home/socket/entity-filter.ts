/**
 * The entity filter of a subscription: a list of ids, inclusions and exclusions.
 *
 * Rules by entity id take precedence over patterns and domains, and an exclusion by pattern over an inclusion by domain.
 */
import { Schema } from "effect"
import { domainOf } from "../../../protocols/domain/home.ts"

const Texts = Schema.Union([Schema.String, Schema.Array(Schema.String)])
const Matches = Schema.Struct({
  domains: Schema.optionalKey(Texts),
  entity_globs: Schema.optionalKey(Texts),
  entities: Schema.optionalKey(Texts),
})

export const entityFilterFields = {
  entity_ids: Schema.optionalKey(Texts),
  include: Schema.optionalKey(Matches),
  exclude: Schema.optionalKey(Matches),
}
const Filter = Schema.Struct(entityFilterFields)
export type EntityFilter = typeof Filter.Type

type EntityPredicate = (entityId: string) => boolean

/** One value or a list of values as a list. */
export const listOf = <Item>(given: Item | ReadonlyArray<Item> | undefined): ReadonlyArray<Item> =>
  given === undefined ? [] : Array.isArray(given) ? given : [given as Item]

/** A pattern with `*` and `?` as a regular expression. */
const globExpression = (glob: string): RegExp =>
  new RegExp(
    `^${glob.toLowerCase().replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")}$`,
  )

const matcher = (matches: typeof Matches.Type | undefined) => {
  const entities = new Set(listOf(matches?.entities).map((id) => id.toLowerCase()))
  const domains = new Set(listOf(matches?.domains))
  const globs = listOf(matches?.entity_globs).map(globExpression)
  return {
    isEmpty: entities.size + domains.size + globs.length === 0,
    hasWide: domains.size + globs.length > 0,
    entity: (id: string) => entities.has(id),
    domain: (id: string) => domains.has(domainOf(id)),
    glob: (id: string) => globs.some((glob) => glob.test(id)),
  }
}

/** The filter as a predicate; null if it accepts every entity. */
export const entityPredicate = ({ entity_ids, exclude, include }: EntityFilter): EntityPredicate | null => {
  const ids = new Set(listOf(entity_ids).map((id) => id.toLowerCase()))
  const wanted = matcher(include)
  const unwanted = matcher(exclude)
  if (ids.size === 0 && wanted.isEmpty && unwanted.isEmpty) return null
  const isNamed = (id: string) => ids.size === 0 || ids.has(id)
  const isIncluded = (id: string): boolean => {
    if (wanted.entity(id)) return true
    if (unwanted.entity(id)) return false
    if (wanted.hasWide) return wanted.glob(id) || (wanted.domain(id) && !unwanted.glob(id))
    if (unwanted.hasWide) return !unwanted.domain(id) && !unwanted.glob(id)
    return wanted.isEmpty
  }
  return (id) => isNamed(id) && isIncluded(id)
}
