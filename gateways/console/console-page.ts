/**
 * Serves the web console: its page at `/` and its files below `/assets/`, from memory and compressed ahead.
 *
 * The content security policy allows nothing but the console's own files and connections to its own origin.
 */
import { type Answer, emptyAnswer, type Headers } from "../http/answer.ts"
import { type Encoding, encodingOf } from "../http/compression.ts"
import { isUnchanged } from "../http/entity-tag.ts"
import type { ConsoleAsset } from "./console-assets.ts"

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'self'",
].join("; ")

const offered: ReadonlyArray<Encoding> = ["br", "gzip"]

const notBuilt =
  "The web console was not built on this machine. `npm start` builds it, or `node deploy/launch.mjs install`; " +
  "see the log for the reason. The API reference is at /docs.\n"

/** The members of a request that decide its answer. */
interface ConsoleRequest {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly header: (name: string) => string | undefined
}

const bodyOf = (asset: ConsoleAsset, encoding: Encoding | null): Uint8Array =>
  encoding === "br" ? asset.brotli : encoding === "gzip" ? asset.gzip : asset.bytes

const answerOf = (asset: ConsoleAsset, header: ConsoleRequest["header"]): Answer => {
  const encoding = encodingOf(header("accept-encoding"), offered)
  const headers: Headers = {
    "Content-Security-Policy": contentSecurityPolicy,
    "Cache-Control": asset.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    ETag: asset.etag,
    Vary: "Accept-Encoding",
    ...(encoding === null ? {} : { "Content-Encoding": encoding }),
  }
  const isKnown = isUnchanged(header("if-none-match"), asset.etag)
  return {
    status: isKnown ? 304 : 200,
    body: isKnown ? null : bodyOf(asset, encoding),
    mediaType: asset.mediaType,
    headers,
    route: asset.path === "/" ? "/" : "/assets",
  }
}

/** Answers requests for the console; null: the path is not the console's. */
export const makeConsole = (assets: ReadonlyArray<ConsoleAsset>): (request: ConsoleRequest) => Answer | null => {
  const byPath = new Map(assets.map((asset) => [asset.path, asset]))
  return ({ header, method, path }) => {
    const asset = byPath.get(path)
    if (asset === undefined && path !== "/") return null
    if (method !== "GET" && method !== "HEAD") return emptyAnswer(405, { Allow: "GET, HEAD" })
    if (asset !== undefined) return answerOf(asset, header)
    return { status: 503, body: notBuilt, mediaType: "text/plain; charset=utf-8", headers: {}, route: "/" }
  }
}
