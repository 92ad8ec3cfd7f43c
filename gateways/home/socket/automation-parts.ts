/**
 * Conditions and actions of automations, as far as their form says whether they are valid. This service runs no automations: clients ask before
 * they keep one.
 */
import { isEntityId, isSlug } from "../../../protocols/domain/home.ts"
import { isObject } from "../server/json.ts"
import { templateProblem } from "../template/render.ts"
import { periodMs } from "./time-period.ts"

const depthMax = 16

/** The keys that each kind of condition needs. */
const conditionKeys: Readonly<Record<string, ReadonlyArray<string>>> = {
  and: ["conditions"],
  or: ["conditions"],
  not: ["conditions"],
  state: ["entity_id", "state"],
  numeric_state: ["entity_id"],
  template: ["value_template"],
  time: [],
  sun: [],
  trigger: ["id"],
  zone: ["entity_id", "zone"],
  device: ["device_id", "domain"],
}

/** The keys that name each kind of action. */
const actionKeys = [
  ...[
    "action",
    "service",
    "delay",
    "wait_template",
    "wait_for_trigger",
    "event",
    "scene",
    "condition",
    "repeat",
    "choose",
  ],
  ...["if", "device_id", "variables", "stop", "parallel", "sequence", "set_conversation_response", "and", "or", "not"],
]

const listOf = (given: unknown): ReadonlyArray<unknown> => Array.isArray(given) ? given : [given]

const isTemplate = (text: string): boolean => text.includes("{{") || text.includes("{%")

const idsProblem = (given: unknown): string | null => {
  const wrong = listOf(given).find((id) => typeof id !== "string" || (!isEntityId(id.toLowerCase()) && !isTemplate(id)))
  return wrong === undefined ? null : `Entity ${String(wrong)} is no valid entity id`
}

const first = (problems: ReadonlyArray<string | null>): string | null =>
  problems.find((problem) => problem !== null) ?? null

const conditionProblem = (given: unknown, depth: number): string | null => {
  if (depth > depthMax) return `conditions nest deeper than ${depthMax}`
  if (typeof given === "string") {
    return isTemplate(given) ? templateProblem(given) : "expected a condition or a template"
  }
  if (!isObject(given)) return "expected a condition or a template"
  const word = ["and", "or", "not"].find((each) => each in given)
  if (word !== undefined) return first(listOf(given[word]).map((each) => conditionProblem(each, depth + 1)))
  const { condition } = given
  if (typeof condition === "string" && isTemplate(condition)) return templateProblem(condition)
  if (typeof condition !== "string" || !Object.hasOwn(conditionKeys, condition)) {
    return `Invalid condition "${String(condition)}" specified`
  }
  const missing = conditionKeys[condition]!.find((key) => !(key in given))
  if (missing !== undefined) return `required key not provided at '${missing}'`
  if (condition === "template") return templateProblem(String(given["value_template"]))
  const inner = "conditions" in given
    ? listOf(given["conditions"]).map((each) => conditionProblem(each, depth + 1))
    : []
  return first([...inner, "entity_id" in given ? idsProblem(given["entity_id"]) : null])
}

const actionProblem = (given: unknown, at: number, depth: number): string | null => {
  if (depth > depthMax) return `actions nest deeper than ${depthMax}`
  if (typeof given === "string") {
    return isTemplate(given) ? templateProblem(given) : `Unable to determine action at '[${at}]'`
  }
  if (!isObject(given) || !actionKeys.some((key) => key in given)) return `Unable to determine action at '[${at}]'`
  const { action, delay, service, target } = given
  const name = action ?? service
  if (name !== undefined) {
    const [domain = "", called = "", ...more] = String(name).split(".")
    const isName = isTemplate(String(name)) || (isSlug(domain) && isSlug(called) && more.length === 0)
    if (!isName) return `Service ${String(name)} does not match format <domain>.<name>`
    return isObject(target ?? null) && "entity_id" in (target as object)
      ? idsProblem((target as { readonly entity_id: unknown }).entity_id)
      : null
  }
  if (delay !== undefined && !(typeof delay === "string" && isTemplate(delay)) && periodMs(delay) === null) {
    return `invalid delay at '[${at}]'`
  }
  const inner = (key: string): ReadonlyArray<string | null> =>
    key in given ? listOf(given[key]).map((each, i) => actionProblem(each, i, depth + 1)) : []
  const conditions = "if" in given ? listOf(given["if"]).map((each) => conditionProblem(each, depth + 1)) : []
  const own = "condition" in given || "and" in given || "or" in given || "not" in given
    ? [conditionProblem(given, depth + 1)]
    : []
  return first([...own, ...conditions, ...["then", "else", "sequence", "parallel"].flatMap(inner)])
}

/** Why conditions are invalid, one or a list; null if they are valid. */
export const conditionsProblem = (given: unknown): string | null =>
  first(listOf(given).map((each) => conditionProblem(each, 0)))

/** Why actions are invalid, one or a list; null if they are valid. */
export const actionsProblem = (given: unknown): string | null =>
  first(listOf(given).map((each, i) => actionProblem(each, i, 0)))
