/**
 * Finds the route of a request: one table for every HTTP edge.
 *
 * A route's path is exact or has parameters (`/things/{id}`: one non-empty segment). An exact path has precedence.
 *
 * Invariant: a table is not made from two routes of one method and path.
 */

export interface TableRoute<A> {
  readonly method: string
  readonly path: string
  readonly value: A
}

type Found<A> =
  | { readonly _tag: "Found"; readonly value: A; readonly params: Readonly<Record<string, string>> }
  | { readonly _tag: "UnknownPath" }
  /** The methods of the path in the order of their declaration. */
  | { readonly _tag: "UnknownMethod"; readonly allowed: ReadonlyArray<string> }

interface RouteTableOptions {
  /** Whether `HEAD` is answered by the route of `GET`. */
  readonly headAsGet: boolean
  /** A segment of the path without its escapes; null: no route has this path. Default: null for broken escapes. */
  readonly decode?: (segment: string) => string | null
}

/** The routes of one path, by method. */
interface Path<A> {
  readonly segments: ReadonlyArray<string>
  readonly methods: Map<string, { readonly value: A; readonly names: ReadonlyArray<string> }>
}

const isParameter = (segment: string): boolean => segment.startsWith("{")

const strictDecode = (segment: string): string | null => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

/** The segments of a path without escapes; null where one cannot be decoded. */
const segmentsOf = (path: string, decode: (segment: string) => string | null): ReadonlyArray<string> | null => {
  const segments = path.split("/")
  if (!path.includes("%")) return segments
  const decoded = segments.map(decode)
  return decoded.includes(null) ? null : decoded as ReadonlyArray<string>
}

/** The values of a path's parameters; null where the path is another. */
const valuesOf = (pattern: ReadonlyArray<string>, given: ReadonlyArray<string>): ReadonlyArray<string> | null => {
  const values: Array<string> = []
  for (let i = 0; i < pattern.length; i++) {
    const segment = given[i]!
    if (isParameter(pattern[i]!)) {
      if (segment === "") return null
      values.push(segment)
    } else if (segment !== pattern[i]) return null
  }
  return values
}

/** The paths of a table, each with its routes. Throws where two routes have one method and path. */
const pathsOf = <A>(routes: ReadonlyArray<TableRoute<A>>): ReadonlyMap<string, Path<A>> => {
  const paths = new Map<string, Path<A>>()
  for (const { method, path, value } of routes) {
    const segments = path.split("/")
    const key = segments.map((segment) => isParameter(segment) ? "{}" : segment).join("/")
    let known = paths.get(key)
    if (known === undefined) paths.set(key, known = { segments, methods: new Map() })
    if (known.methods.has(method)) throw new Error(`${method} ${path} is declared twice.`)
    known.methods.set(method, { value, names: segments.filter(isParameter).map((name) => name.slice(1, -1)) })
  }
  return paths
}

/** Joins names and values; the same empty object where there are none. */
const noParams: Readonly<Record<string, string>> = {}
const paramsOf = (names: ReadonlyArray<string>, values: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  names.length === 0 ? noParams : Object.fromEntries(names.map((name, i) => [name, values[i]!]))

type RouteTable<A> = (method: string, path: string) => Found<A>

/** A table of these routes. Throws where two of them have one method and path. */
export const makeRouteTable = <A>(
  routes: ReadonlyArray<TableRoute<A>>,
  { decode = strictDecode, headAsGet }: RouteTableOptions,
): RouteTable<A> => {
  const paths = [...pathsOf(routes).values()]
  const exact = new Map(
    paths.filter(({ segments }) => !segments.some(isParameter)).map((path) => [path.segments.join("/"), path]),
  )
  /** Paths with parameters, by the number of their segments. */
  const patterns = Map.groupBy(
    paths.filter(({ segments }) => segments.some(isParameter)),
    ({ segments }) => segments.length,
  )

  const ofPath = ({ methods }: Path<A>, method: string, values: ReadonlyArray<string>): Found<A> => {
    const route = methods.get(headAsGet && method === "HEAD" ? "GET" : method)
    if (route !== undefined) return { _tag: "Found", value: route.value, params: paramsOf(route.names, values) }
    const allowed = [...methods.keys()].flatMap((name) => headAsGet && name === "GET" ? [name, "HEAD"] : [name])
    return { _tag: "UnknownMethod", allowed }
  }

  return (method, path) => {
    const raw = exact.get(path)
    if (raw !== undefined) return ofPath(raw, method, [])
    const given = segmentsOf(path, decode)
    if (given === null) return { _tag: "UnknownPath" }
    const decoded = path.includes("%") ? exact.get(given.join("/")) : undefined
    if (decoded !== undefined && decoded.segments.length === given.length) return ofPath(decoded, method, [])
    for (const pattern of patterns.get(given.length) ?? []) {
      const values = valuesOf(pattern.segments, given)
      if (values !== null) return ofPath(pattern, method, values)
    }
    return { _tag: "UnknownPath" }
  }
}
