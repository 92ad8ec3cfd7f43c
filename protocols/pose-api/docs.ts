/**
 * Endpoints of the reading room: the API's documentation as a page, for who has no tool for OpenAPI at hand.
 *
 * Open to anybody, since it says nothing of this installation but its version. It brings all it needs, runs no script, and its policy
 * allows none.
 */
import { endpoint, textCodec } from "./endpoint.ts"

const group = "Documentation"

const shared = {
  method: "GET",
  group,
  access: "public",
  category: "health",
  atRoot: true,
  status: 200,
  response: { bare: textCodec, envelope: textCodec },
  unwrapped: true,
  failures: [],
} as const

export const docs = endpoint({
  ...shared,
  path: "/docs",
  summary: "This API as a page",
  mediaType: "text/html; charset=utf-8",
  headers: {
    "Content-Security-Policy":
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  },
})

export const docsStyle = endpoint({
  ...shared,
  path: "/docs/style.css",
  summary: "The style of the page",
  mediaType: "text/css; charset=utf-8",
})
