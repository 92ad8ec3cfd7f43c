/**
 * Renders a template for a client.
 */
import { Effect } from "effect"
import type { Answer } from "../../http/answer.ts"
import { messageAnswer } from "../server/answer.ts"
import { isObject, readExactJson } from "../server/json.ts"
import { route } from "../server/route.ts"
import { rendererFor } from "../template/rendering.ts"

const textAnswer = (body: string): Answer => ({
  status: 200,
  body,
  mediaType: "text/plain; charset=utf-8",
  headers: {},
  route: null,
})

export const templateRoutes = [
  route("POST", "/api/template", ({ body }) =>
    Effect.gen(function* () {
      const data = readExactJson(yield* body)
      if (data === undefined) return messageAnswer(400, "Invalid JSON specified.")
      if (!isObject(data)) return messageAnswer(400, "Template data should be a JSON object.")
      const { template, variables = null } = data
      if (typeof template !== "string") return messageAnswer(400, "Error rendering template: `template` is a text.")
      if (variables !== null && !isObject(variables)) {
        return messageAnswer(400, "Error rendering template: `variables` is an object.")
      }
      const { render } = yield* rendererFor([template])
      const rendering = render({ source: template, variables: variables ?? {}, strict: false })
      return rendering._tag === "Rendered"
        ? textAnswer(rendering.text)
        : messageAnswer(400, `Error rendering template: ${rendering.message}`)
    })),
]
