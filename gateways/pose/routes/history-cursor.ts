/**
 * Cursors: the position after a page of stored rows, as an opaque text that is valid for one query.
 *
 * A cursor contains nothing confidential, so it is not signed. Its digest covers its content and its query: a cursor that was changed, cut
 * or sent with another query is rejected.
 */
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { InvalidRequest } from "../../../protocols/pose-api/edge-failures.ts"
import type { FramePosition, Total } from "../../../protocols/ports/frame-history.ts"

/** The position of a cursor. */
interface Cursor {
  readonly at: FramePosition
  /** The total that was counted for the first page; null if none was. */
  readonly total: Total | null
}

const Natural = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const Content = Schema.fromJsonString(
  Schema.Tuple([
    Natural,
    Natural,
    Schema.NullOr(Schema.Union([Natural, Schema.String])),
    // The environment, if the query covers all environments.
    Schema.optionalKey(Schema.String),
  ]),
)
const readContent = Schema.decodeUnknownOption(Content)

const digestBytes = 12

const digestOf = (content: string, query: string): string =>
  createHash("sha256").update(content).update("\n").update(query).digest().subarray(0, digestBytes).toString(
    "base64url",
  )

const base64url = (text: string): string => Buffer.from(text, "utf8").toString("base64url")

/** The text of a cursor. `query` identifies its query. */
export const cursorText = ({ at, total }: Cursor, query: string): string => {
  const counted = total === null ? null : total.count ?? total.reason
  const environment = at.environmentId === null ? [] : [at.environmentId]
  const content = JSON.stringify([at.timestampUs, at.frameId, counted, ...environment])
  return `${base64url(content)}.${digestOf(content, query)}`
}

/** The cursor in a text, or null if it is not a cursor of this query. */
export const readCursor = (text: string, query: string): Cursor | null => {
  const [encoded = "", digest = "", ...rest] = text.split(".")
  const content = Buffer.from(encoded, "base64url").toString("utf8")
  if (rest.length > 0 || base64url(content) !== encoded || digestOf(content, query) !== digest) return null
  const read = readContent(content)
  if (read._tag === "None") return null
  const [timestampUs, frameId, total, environmentId = null] = read.value
  return {
    at: { timestampUs, environmentId, frameId },
    total: total === null
      ? null
      : typeof total === "number"
      ? { count: total, reason: null }
      : { count: null, reason: total },
  }
}

/** The failure for an invalid cursor in this field. */
export const brokenCursor = (field: string, text: string): InvalidRequest =>
  InvalidRequest.of(
    field,
    "is not the next_cursor of a page of this query. Send it unchanged, with the same parameters",
    text.slice(0, 64),
  )
