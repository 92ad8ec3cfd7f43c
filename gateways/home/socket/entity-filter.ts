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

/** Whether a text fits a pattern with `*` and `?`. Only the last `*` may take more: an earlier one never has to. */
const fitsGlob = (glob: string, text: string): boolean => {
  let [at, from] = [0, 0]
  /** The last `*`, and the end of what it takes. */
  let [star, taken] = [-1, 0]
  while (from < text.length) {
    if (glob[at] === "*") [star, taken, at] = [at, from, at + 1]
    else if (at < glob.length && (glob[at] === "?" || glob[at] === text[from])) [at, from] = [at + 1, from + 1]
    else if (star >= 0) [taken, at, from] = [taken + 1, star + 1, taken + 1]
    else return false
  }
  while (glob[at] === "*") at++
  return at === glob.length
}

const matcher = (matches: typeof Matches.Type | undefined) => {
  const entities = new Set(listOf(matches?.entities).map((id) => id.toLowerCase()))
  const domains = new Set(listOf(matches?.domains))
  const globs = listOf(matches?.entity_globs).map((glob) => glob.toLowerCase().replace(/\*+/g, "*"))
  return {
    isEmpty: entities.size + domains.size + globs.length === 0,
    hasWide: domains.size + globs.length > 0,
    entity: (id: string) => entities.has(id),
    domain: (id: string) => domains.has(domainOf(id)),
    glob: (id: string) => globs.some((glob) => fitsGlob(glob, id)),
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
