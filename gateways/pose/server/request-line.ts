/**
 * Reads request lines: the route, its parameters and its query. Clients that poll send the same line again and again, so valid lines are
 * remembered. Invariant: at most `rememberedMax` of them, none longer than `targetLengthMax`.
 */
import { Result } from "effect"
import type { InvalidRequest, MethodNotAllowed, ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import type { Form } from "../../../protocols/pose-api/forms.ts"
import { splitTarget } from "../../http/request.ts"
import type { Match, RouteTable } from "./route.ts"

interface RequestLine<R> {
  /** Query parameter `form` as given. */
  readonly form: string | null
  readonly match: Result.Result<Match<R>, ResourceNotFound | MethodNotAllowed>
  readonly params: Result.Result<unknown, InvalidRequest>
  /** The query as each form reads it. */
  readonly query: Record<Form, Result.Result<unknown, InvalidRequest>>
}

const rememberedMax = 512
const targetLengthMax = 256

const unread = Result.succeed(null)
const unreadQuery = { bare: unread, envelope: unread }

const read = <R>(table: RouteTable<R>, method: string, target: string): RequestLine<R> => {
  const { path, query } = splitTarget(target)
  const asked = new URLSearchParams(query)
  const form = asked.get("form")
  const match = table(method, path)
  if (Result.isFailure(match)) return { form, match, params: unread, query: unreadQuery }
  const { route: { readParams, readQuery }, params } = match.success
  const bare = readQuery.bare(asked)
  const envelope = readQuery.bare === readQuery.envelope ? bare : readQuery.envelope(asked)
  return { form, match, params: readParams(params), query: { bare, envelope } }
}

/** A reader of request lines for this table. */
export const lineReader = <R>(
  table: RouteTable<R>,
): (request: { readonly method: string; readonly target: string }) => RequestLine<R> => {
  const remembered = new Map<string, RequestLine<R>>()
  return ({ method, target }) => {
    const key = `${method} ${target}`
    const known = remembered.get(key)
    if (known !== undefined) return known
    const line = read(table, method, target)
    const isValid = Result.isSuccess(line.match) && Result.isSuccess(line.params) &&
      (Result.isSuccess(line.query.bare) || Result.isSuccess(line.query.envelope))
    if (!isValid || target.length > targetLengthMax) return line
    if (remembered.size === rememberedMax) remembered.clear()
    remembered.set(key, line)
    return line
  }
}
