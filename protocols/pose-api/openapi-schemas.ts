/**
 * JSON schemas as an OpenAPI document has them: references to its components, named enumerations, short forms, and a description of each
 * property. Pure.
 *
 * Nothing that a client must obey changes: a request still has all its limits.
 */
import { Schema } from "effect"
import { AlertStatus, AlertType, EventType, Severity } from "../domain/event.ts"
import { Role } from "../domain/identity.ts"
import { Lateness } from "../domain/lateness.ts"
import { NodeStanding } from "../domain/node-identity.ts"
import { Activity, Capability, TrackStatus } from "../domain/pose.ts"
import { Source } from "../domain/provenance.ts"
import { StepStatus, SystemStatusValue } from "../domain/system.ts"
import { meaningOf } from "./meanings/meanings.ts"
import { ComponentStatus } from "./system-status.ts"

export type Json = Record<string, unknown>

export const schemaPath = "#/components/schemas/"

/** Enumerations that have a name in the document. Their schemas have none, because errors would show it in place of the values. */
const enumerations: Readonly<Record<string, Schema.Constraint>> = {
  Activity,
  AlertStatus,
  AlertType,
  Capability,
  ComponentStatus,
  EventType,
  Lateness,
  NodeStanding,
  Role,
  Severity,
  Source,
  StepStatus,
  SystemStatus: SystemStatusValue,
  TrackStatus,
}

const valuesOf = (json: unknown): string => JSON.stringify((json as Json)["enum"])

const jsonOf = (schema: Schema.Constraint): Json => Schema.toJsonSchemaDocument(schema).schema

const enumNames: ReadonlyMap<string, string> = new Map(
  Object.entries(enumerations).map(([name, schema]) => [valuesOf(jsonOf(schema)), name]),
)

/** The schema of a named enumeration. */
export const enumSchema = (name: string): Json => {
  const { type, enum: values } = jsonOf(enumerations[name]!)
  return { type, enum: values }
}

interface DocumentedOptions {
  /** The component or parameter that the schema belongs to. */
  readonly name: string
  /** Unknown fields are rejected, as in requests. */
  readonly closed: boolean
  /** The name of a referenced component in the document. */
  readonly nameOf: (reference: string) => string
  /** Whether a component has a description. */
  readonly isDescribed: (name: string) => boolean
  /** Called for each enumeration that the schema refers to. */
  readonly enumUsed: (name: string) => void
}

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const limits = new Set<unknown>([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])

const isNull = (json: unknown): boolean => isJson(json) && json["type"] === "null"

/** `{anyOf: [{type: T, …}, {type: "null"}]}` as `{type: [T, "null"], …}`. Generators lose the constants of the short form. */
const shortened = (json: Json): Json => {
  const members = json["anyOf"]
  if (!Array.isArray(members) || members.length !== 2 || !isNull(members[1])) return json
  const { anyOf: _, ...outside } = json
  const inside = members[0] as Json
  const isPlain = typeof inside["type"] === "string" && !("enum" in inside) && !("properties" in inside)
  return isPlain ? { ...inside, ...outside, type: [inside["type"], "null"] } : json
}

/** `{…, allOf: [{…}]}` as one schema, if no constraint occurs in both. */
export const merged = (json: Json): Json => {
  const { allOf, ...outside } = json
  if (!Array.isArray(allOf) || allOf.length !== 1 || "$ref" in allOf[0]) return json
  const inside = allOf[0] as Json
  return Object.keys(inside).some((key) => key in outside) ? json : { ...outside, ...inside }
}

/** A schema as the document has it. */
export const documented = (schema: unknown, options: DocumentedOptions): unknown => {
  const { closed, enumUsed, isDescribed, name, nameOf } = options

  const property = (value: unknown, inside: ReadonlyArray<string>, key: string): unknown => {
    const json = rewritten(value, [...inside, key])
    if (!isJson(json) || "description" in json || isDescribed(String(json["$ref"]).replace(schemaPath, ""))) return json
    const meaning = meaningOf(inside, key)
    return meaning === null ? json : { ...json, description: meaning }
  }

  const entry = (key: string, value: unknown, inside: ReadonlyArray<string>): ReadonlyArray<[string, unknown]> => {
    if (key === "$ref" && typeof value === "string") return [[key, schemaPath + nameOf(value.replace("#/$defs/", ""))]]
    if (key === "additionalProperties" && value === true && !closed) return []
    if ((key === "minimum" || key === "maximum") && limits.has(value) && !closed) return []
    if (key !== "properties" || !isJson(value)) return [[key, rewritten(value, inside)]]
    const properties = Object.entries(value).map(([at, of]): [string, unknown] => [at, property(of, inside, at)])
    return [[key, Object.fromEntries(properties)]]
  }

  const rewritten = (json: unknown, inside: ReadonlyArray<string>): unknown => {
    if (Array.isArray(json)) return json.map((item) => rewritten(item, inside))
    if (!isJson(json)) return json
    const enumName = enumNames.get(valuesOf(json))
    if (enumName !== undefined) {
      enumUsed(enumName)
      const { type: _, enum: __, ...rest } = json
      return { $ref: schemaPath + enumName, ...rest }
    }
    const entries = Object.entries(merged(json)).flatMap(([key, value]) => entry(key, value, inside))
    return shortened(Object.fromEntries(entries))
  }

  return rewritten(schema, [name])
}
