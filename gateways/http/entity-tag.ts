/**
 * Entity tags of documents that do not change while the service runs, so that a client that has one fetches it once (RFC 9110, section 13).
 *
 * The tags are weak, because one document has one tag in all its encodings.
 */
import { createHash } from "node:crypto"

/** The tag of a document. */
export const entityTagOf = (document: string | Uint8Array): string =>
  `W/"${createHash("sha256").update(document).digest("base64url").slice(0, 27)}"`

/** Whether a client that sent this `If-None-Match` has the document of this tag. */
export const isUnchanged = (ifNoneMatch: string | undefined, tag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  const bare = (text: string): string => text.trim().replace(/^W\//, "")
  return ifNoneMatch.split(",").some((given) => given.trim() === "*" || bare(given) === bare(tag))
}
