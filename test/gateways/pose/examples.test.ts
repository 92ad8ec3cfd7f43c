/**
 * The examples of the OpenAPI document are answers of the service: they satisfy the schemas beside them.
 */
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { afterAll, beforeAll, expect, it } from "vitest"
import { forms } from "../../../protocols/pose-api/forms.ts"
import { type Gateway, startGateway } from "./harness.ts"

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.stop())

// deno-lint-ignore no-explicit-any
type Json = any

it("has examples that satisfy their schemas, in both forms", async () => {
  const document: Json = await (await fetch(`${gateway.url}/api/v1/openapi.json`)).json()
  const ajv = new Ajv2020({ strict: false, allErrors: true }) // deno-lint-ignore no-explicit-any
  ;(addFormats as any)(ajv)
  ajv.addSchema({ $id: "api", ...document })
  const operations = Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods))
    .filter(({ responses }) => responses !== undefined)
  const media = operations.flatMap(({ operationId, responses }) =>
    Object.values<Json>(responses).map(({ content }) => ({ operationId, ...content?.["application/json"] }))
  ).filter(({ examples }) => examples !== undefined)
  expect(media.length).toBeGreaterThan(20)
  const errors = media.flatMap(({ examples, operationId, schema }) =>
    forms.flatMap((form, i) => {
      const validate = ajv.getSchema(`api${schema.anyOf[i].$ref}`)!
      return validate(examples[form].value) ? [] : [`${operationId} ${form}: ${JSON.stringify(validate.errors)}`]
    })
  )
  expect(errors).toEqual([])
})
