import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { forms } from "../../../protocols/pose-api/forms.ts"
import { componentMeanings } from "../../../protocols/pose-api/meanings/components.ts"
import { meanings } from "../../../protocols/pose-api/meanings/meanings.ts"
import { call } from "./contract.ts"
import { type Gateway, startGateway } from "./harness.ts"
import { unexplainedNulls } from "./nulls.ts"

type Json = Record<string, unknown>

interface Document extends Json {
  readonly servers: ReadonlyArray<Json>
  readonly paths: Record<string, Record<string, Json>>
  readonly components: Record<"schemas" | "responses" | "parameters" | "headers", Record<string, Json>>
}

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.stop())

const bytesMax = 208 * 1024

/** Every reference in a document. */
const referencesIn = (json: unknown): ReadonlyArray<string> => {
  if (typeof json !== "object" || json === null) return []
  const own = "$ref" in json && typeof json.$ref === "string" ? [json.$ref] : []
  return [...own, ...Object.values(json).flatMap(referencesIn)]
}

interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<Json>
}

const operationsOf = ({ paths }: Document): ReadonlyArray<Operation> =>
  Object.values(paths).flatMap((methods) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      method === "parameters" ? [] : [{ parameters: [], ...operation } as unknown as Operation]
    )
  )

interface Property {
  readonly path: string
  readonly schema: Json
}

/** Every property of objects in a schema. */
const propertiesIn = (json: unknown, inside: ReadonlyArray<string>): ReadonlyArray<Property> => {
  if (typeof json !== "object" || json === null) return []
  return Object.entries(json).flatMap(([key, value]): ReadonlyArray<Property> => {
    if (key !== "properties") return propertiesIn(value, [...inside, key])
    return Object.entries(value as Record<string, Json>).flatMap(([name, schema]) => [
      { path: [...inside, name].join("."), schema },
      ...propertiesIn(schema, [...inside, name]),
    ])
  })
}

const lookUp = (document: unknown, reference: string): unknown =>
  reference.slice(2).split("/").reduce((at, key) => (at as Json | undefined)?.[key], document)

const resolve = (document: unknown, component: Json): Json =>
  typeof component["$ref"] === "string" ? lookUp(document, component["$ref"]) as Json : component

it("has no meaning of a property that does not exist", async () => {
  const texts = await Promise.all(
    ["openapi.json", "asyncapi.json"].map(async (name) => (await fetch(`${gateway.url}/api/v1/${name}`)).text()),
  )
  const unused = Object.entries({ ...meanings, ...componentMeanings }).filter(([, meaning]) =>
    !texts.some((text) => text.includes(JSON.stringify(meaning)))
  )
  expect(unused).toEqual([])
})

describe.each(forms)("the OpenAPI document of the %s form", (form) => {
  const path = `/openapi.${form}.json`
  const read = async (): Promise<Document> => (await call(gateway.url, { method: "GET", path })).json

  it("is public, and smaller than the document of both forms", async () => {
    const text = await (await fetch(`${gateway.url}/api/v1${path}`)).text()
    const whole = await (await fetch(`${gateway.url}/api/v1/openapi.json`)).text()
    expect(text.length).toBeLessThan(bytesMax)
    expect(text.length).toBeLessThan(whole.length)
  })

  it("has a server, a licence, and the operations of the document of both forms but those for browsers", async () => {
    const document = await read()
    const whole: Document = (await call(gateway.url, { method: "GET", path: "/openapi.json" })).json
    const served = operationsOf(whole).filter(({ tags }) => !["Console session", "Documentation"].includes(tags[0]!))
    expect(document.servers).toEqual([expect.objectContaining({ url: "/" })])
    expect(document["info"]).toMatchObject({ license: { identifier: "Apache-2.0" } })
    expect(operationsOf(document).map(({ operationId }) => operationId))
      .toEqual(served.map(({ operationId }) => operationId))
  })

  it("describes every property and every parameter", async () => {
    const document = await read()
    const isDescribed = (schema: Json): boolean => {
      const named = typeof schema["$ref"] === "string" ? lookUp(document, schema["$ref"]) as Json : schema
      const members = (schema["anyOf"] ?? []) as ReadonlyArray<Json>
      return "description" in schema || "description" in named || members.some(isDescribed)
    }
    // The schema \`Success\` describes the data of the envelope form.
    const missing = propertiesIn(document.components.schemas, []).filter(({ path, schema }) =>
      !isDescribed(schema) && !/^[A-Za-z]+\.allOf\.1\.data$/.test(path)
    )
    expect(missing.map(({ path }) => path)).toEqual([])
    const parameters = operationsOf(document).flatMap(({ parameters, operationId }) =>
      parameters.map((parameter) => ({ operationId, ...resolve(document, parameter) }))
    )
    expect(parameters.filter((parameter) => !("description" in parameter))).toEqual([])
  })

  it("says of each null in an answer what it means, or where its reason is", async () => {
    expect(unexplainedNulls(await read())).toEqual([])
  })

  it("refers only to components that exist, and uses each of them", async () => {
    const document = await read()
    const references = new Set(referencesIn(document))
    expect([...references].filter((reference) => lookUp(document, reference) === undefined)).toEqual([])
    const { headers, parameters, responses, schemas } = document.components
    for (const [kind, components] of Object.entries({ headers, parameters, responses, schemas })) {
      const unused = Object.keys(components).filter((name) => !references.has(`#/components/${kind}/${name}`))
      expect(unused, kind).toEqual([])
    }
  })

  it("names the schemas that operations share", async () => {
    const { schemas } = (await read()).components
    for (const name of ["Error", "Keypoint", "Keypoint3d", "Person", "PoseFrame", "Provenance", "Vitals"]) {
      expect(schemas).toHaveProperty(name)
    }
    expect(Object.keys(schemas).filter((name) => /[^A-Za-z0-9]/.test(name))).toEqual([])
  })

  it("has one schema per answer, which the answers satisfy", async () => {
    const document = await read()
    const ajv = new Ajv2020({ strict: false }) // deno-lint-ignore no-explicit-any
    ;(addFormats as any)(ajv)
    ajv.addSchema({ $id: "api", ...document })
    const token = await gateway.token("viewer")
    for (const path of ["/pose/latest?environment_id=room", "/system/status", "/pose/latest?environment_id=none"]) {
      const answer = await call(gateway.url, { method: "GET", path, form, token })
      const { responses } = document.paths[`/api/v1${path.split("?")[0]}`]!["get"] as {
        responses: Record<string, Json>
      }
      const documented = responses[String(answer.status)]!
      const response = (typeof documented["$ref"] === "string" ? lookUp(document, documented["$ref"]) : documented) as {
        readonly content: Record<string, { readonly schema: { readonly $ref: string } }>
      }
      const validate = ajv.getSchema(`api${response.content["application/json"]!.schema.$ref}`)!
      expect(validate(answer.json), `${path} ${JSON.stringify(validate.errors)}`).toBe(true)
    }
  })

  it("requires its form as a parameter of every operation", async () => {
    const document = await read()
    expect(document.components.parameters["form"]).toMatchObject({
      name: "form",
      required: true,
      schema: { type: "string", enum: [form], default: form },
    })
    for (const methods of Object.values(document.paths)) {
      expect(methods["parameters"]).toContainEqual({ $ref: "#/components/parameters/form" })
    }
  })
})

it("the header If-Match is documented where it is read: changes of a value that has an ETag", async () => {
  // deno-lint-ignore no-explicit-any
  const document: any = await (await fetch(`${gateway.url}/api/v1/openapi.json`)).json()
  const nameOf = (parameter: { readonly $ref?: string; readonly name?: string }): string =>
    parameter.name ?? document.components.parameters[parameter.$ref!.split("/").at(-1)!].name
  const found = Object.keys(document.paths).flatMap((path) =>
    Object.entries<{ readonly parameters?: ReadonlyArray<object> }>(document.paths[path]).flatMap(
      ([method, { parameters = [] }]) =>
        parameters.some((one) => nameOf(one) === "If-Match") ? [`${method} ${path}`] : [],
    )
  )
  expect(found.toSorted()).toEqual(["put /api/v1/config", "put /api/v1/environments/{environment_id}"])
})
