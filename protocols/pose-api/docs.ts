/**
 * Endpoints of the API documentation as a page, for readers without an OpenAPI tool.
 *
 * Public unless `WAVEPOSE_PUBLIC_DOCS` is off, because it contains nothing about this installation except its version. Its content security policy allows only its own style sheet
 * and script, which searches the page and sends requests to the service.
 */
import { endpoint, textCodec } from "./endpoint.ts"

/** The group of the documents themselves, which are no part of a client. */
export const documentationGroup = "Documentation"

const shared = {
  method: "GET",
  group: documentationGroup,
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
  summary: "Get the documentation of this API as a page",
  mediaType: "text/html; charset=utf-8",
  headers: {
    "Content-Security-Policy":
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  },
})

export const docsStyle = endpoint({
  ...shared,
  path: "/docs/style.css",
  summary: "Get the style sheet of the documentation",
  mediaType: "text/css; charset=utf-8",
})

export const docsScriptFile = endpoint({
  ...shared,
  path: "/docs/script.js",
  summary: "Get the script of the documentation",
  mediaType: "text/javascript; charset=utf-8",
})
