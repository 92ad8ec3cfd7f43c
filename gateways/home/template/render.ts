/**
 * Renders templates of clients on the states of the home, in a sandbox: bounded in steps, depth and output, without access to the service.
 */
import type { JsonObject } from "../../../protocols/domain/home.ts"
import { withBudget } from "./budget.ts"
import { Expressions, type Filter, type Library, type Test } from "./expressions.ts"
import { collectionFilters, collectionFunctions, collectionGlobals } from "./collections.ts"
import { filters } from "./filters.ts"
import { homeFunctions } from "./home-functions.ts"
import { AllStates, Listeners, type StateSource } from "./home-states.ts"
import { ofJson } from "./json-values.ts"
import type { Node } from "./nodes.ts"
import { type HomeFunction, numberConstants, numberFunctions } from "./numbers.ts"
import { placesOf, type RegistryLists } from "./places.ts"
import { Statements } from "./statements.ts"
import { TemplateError } from "./template-error.ts"
import { programOf } from "./template-source.ts"
import { tests } from "./tests.ts"
import { timeFunctions } from "./time-functions.ts"
import { isTrue, PyFunction, type Value } from "./values.ts"

/** What templates read. */
export interface HomeFacts {
  readonly states: StateSource
  readonly registries: RegistryLists
  /** Microseconds since the Unix epoch. */
  readonly nowUs: number
}

export interface TemplateOrder {
  readonly source: string
  readonly variables: JsonObject
  /** A missing name is an error. */
  readonly strict: boolean
}

export type Rendering =
  | { readonly _tag: "Rendered"; readonly text: string; readonly listeners: Listeners }
  | { readonly _tag: "Failed"; readonly message: string; readonly listeners: Listeners }

type Entry = readonly [name: string, run: HomeFunction]

const asFilter = ([name, run]: Entry): readonly [string, Filter] => [
  name,
  (value, args, named, tools) => run([value, ...args], named, tools),
]

/** Filters and tests that no rendering changes. */
const fixedFilters: ReadonlyArray<readonly [string, Filter]> = [
  ...filters,
  ...[...numberFunctions, ...collectionFunctions, ...collectionFilters].map(asFilter),
]
const testsOfFunctions: ReadonlySet<string> = new Set(["is_number"])
const regexTests = [["match", "regex_match"], ["search", "regex_search"]] as const

const asTest = (
  [name, run]: Entry,
): readonly [string, Test] => [name, (value, args, tools) => isTrue(run([value, ...args], new Map(), tools))]

const fixedTests: ReadonlyArray<readonly [string, Test]> = [
  ...tests,
  ...numberFunctions.filter(([name]) => testsOfFunctions.has(name)).map(asTest),
  ...regexTests.map(([name, filter]) => asTest([name, collectionFilters.find(([each]) => each === filter)![1]])),
]

const fixedGlobals: ReadonlyArray<Entry> = [...numberFunctions, ...collectionFunctions, ...collectionGlobals]

/** The filters, tests and functions of a rendering. `tools` is known when they run. */
const libraryOf = (facts: HomeFacts, listeners: Listeners, tools: () => Expressions): Library => {
  const states = new AllStates(facts.states, listeners)
  const own = homeFunctions(states, placesOf(facts.registries))
  const times = timeFunctions({
    now: () => {
      listeners.time = true
      return facts.nowUs
    },
  })
  const both = [
    ...own.states,
    ...own.places,
    ...times.filter(([, , use]) => use !== "filter").map(([name, run]) => [name, run] as const),
  ]
  const asGlobal = ([name, run]: Entry): readonly [string, Value] => [
    name,
    new PyFunction(name, (args, named) => run(args, named, tools())),
  ]
  const ownFilters: ReadonlyArray<Entry> = [
    ...own.states,
    ...own.places,
    ...times.filter(([, , use]) => use !== "global").map(([name, run]) => [name, run] as const),
    ["states", (args, named) => states.call(args, named)],
  ]
  return {
    filters: new Map([...fixedFilters, ...ownFilters.map(asFilter)]),
    tests: new Map([...fixedTests, ...own.states.map(asTest)]),
    globals: new Map<string, Value>([
      ...numberConstants,
      ...[...fixedGlobals, ...both].map(asGlobal),
      ["states", states],
    ]),
  }
}

const failure = (error: unknown): string => {
  if (error instanceof TemplateError) return `${error.kind}: ${error.message}`
  // The engine's own bounds: the stack, and the length of a text.
  if (error instanceof RangeError) return "TemplateRuntimeError: The template is too large."
  return `TemplateRuntimeError: ${error instanceof Error ? error.message : String(error)}`
}

/** Renders a template once. */
export const renderTemplate = (facts: HomeFacts, { source, strict, variables }: TemplateOrder): Rendering => {
  const listeners = new Listeners()
  const text = source.trim()
  const expressions: Expressions = new Expressions(text, libraryOf(facts, listeners, () => expressions), strict)
  const run = (): string => {
    const given = new Map(Object.entries(variables).map(([name, value]) => [name, ofJson(value)]))
    return new Statements(expressions).render(programOf(text) as unknown as Node, given).trim()
  }
  try {
    return { _tag: "Rendered", text: withBudget(run), listeners }
  } catch (error) {
    return { _tag: "Failed", message: failure(error), listeners }
  }
}

/** Why a text is not a template; null if it is one. */
export const templateProblem = (source: string): string | null => {
  try {
    programOf(source.trim())
    return null
  } catch (error) {
    return failure(error)
  }
}

/** Whether a template may ask for devices, areas, floors or labels. */
export const readsRegistries = (source: string): boolean =>
  /\b(area|floor|label|device|integration_entities)/.test(source)
