/**
 * Evaluates the expressions of a template, for one rendering.
 *
 * Invariants: every node that is evaluated and every value that a filter reads costs a step of the budget (`budget.ts`); calls nest at most
 * `depthMax` deep. Boundary: filters, tests and functions are given as tables; `statements.ts` runs the statements.
 */
import { copy, spend } from "./budget.ts"
import { attributeOf, itemOf, sliceOf } from "./access.ts"
import type { Node, NodeOf } from "./nodes.ts"
import { arithmetic, compare, concatenated, contains, itemsOf } from "./operators.ts"
import { grouping } from "./template-source.ts"
import { TemplateError } from "./template-error.ts"
import {
  isDict,
  isEqual,
  isNumber,
  isTrue,
  type Named,
  PyFunction,
  sizeOf,
  textOf,
  Tuple,
  typeNameOf,
  Undefined,
  type Value,
} from "./values.ts"

const depthMax = 64

/** What filters and functions use of the evaluation. */
export interface Tools {
  readonly source: string
  readonly filter: (name: string, value: Value, args: ReadonlyArray<Value>, named: Named) => Value
  readonly test: (name: string, value: Value, args: ReadonlyArray<Value>) => boolean
  /** The values of an iterable, each of which counts. */
  readonly items: (value: Value) => ReadonlyArray<Value>
}

export type Filter = (value: Value, args: ReadonlyArray<Value>, named: Named, tools: Tools) => Value
export type Test = (value: Value, args: ReadonlyArray<Value>, tools: Tools) => boolean

export interface Library {
  readonly filters: ReadonlyMap<string, Filter>
  readonly tests: ReadonlyMap<string, Test>
  readonly globals: ReadonlyMap<string, Value>
}

export class Scope {
  readonly #names = new Map<string, Value>()
  readonly #outer: Scope | ReadonlyMap<string, Value>
  constructor(outer: Scope | ReadonlyMap<string, Value>) {
    this.#outer = outer
  }
  get(name: string): Value | undefined {
    const value = this.#names.get(name)
    return value === undefined ? this.#outer.get(name) : value
  }
  set(name: string, value: Value): void {
    this.#names.set(name, value)
  }
}

const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
])

const comparisons: Readonly<Record<string, (a: Value, b: Value) => boolean>> = {
  "==": isEqual,
  "!=": (a, b) => !isEqual(a, b),
  "<": (a, b) => compare(a, b, "<") < 0,
  ">": (a, b) => compare(a, b, ">") > 0,
  "<=": (a, b) => compare(a, b, "<=") <= 0,
  ">=": (a, b) => compare(a, b, ">=") >= 0,
  in: (a, b) => contains(b, a),
  "not in": (a, b) => !contains(b, a),
}

export class Expressions implements Tools {
  readonly source: string
  readonly #library: Library
  readonly strict: boolean
  #depth = 0

  /** @param strict printing a missing name is an error */
  constructor(source: string, library: Library, strict: boolean) {
    this.source = source
    this.#library = library
    this.strict = strict
  }

  /** The scope of a program with these variables. */
  scope(variables: ReadonlyMap<string, Value>): Scope {
    return new Scope(new Map([...this.#library.globals, ...variables]))
  }

  readonly items = (value: Value): ReadonlyArray<Value> => {
    if (value instanceof Undefined && this.strict) throw value.error()
    const items = itemsOf(value)
    spend(items.length)
    return items
  }

  readonly filter = (name: string, value: Value, args: ReadonlyArray<Value>, named: Named): Value => {
    const asTest = /^is (not )?(.*)$/.exec(name)
    if (asTest !== null) return this.test(asTest[2]!, value, args) !== (asTest[1] !== undefined)
    if (name === grouping) return value
    const filter = this.#library.filters.get(name)
    if (filter === undefined) throw new TemplateError("TemplateAssertionError", `No filter named '${name}'.`)
    copy(sizeOf(value, ...args))
    return filter(value, args, named, this)
  }

  readonly test = (name: string, value: Value, args: ReadonlyArray<Value>): boolean => {
    const test = this.#library.tests.get(name)
    if (test === undefined) throw new TemplateError("TemplateAssertionError", `No test named '${name}'.`)
    copy(sizeOf(value, ...args))
    return test(value, args, this)
  }

  #arguments(args: ReadonlyArray<Node>, scope: Scope): readonly [ReadonlyArray<Value>, Named] {
    const values: Array<Value> = []
    const named = new Map<string, Value>()
    for (const arg of args) {
      if (arg.type === "KeywordArgumentExpression") named.set(arg.key.value, this.value(arg.value, scope))
      else if (arg.type === "SpreadExpression") values.push(...this.items(this.value(arg.argument, scope)))
      else if (arg.type === "KeywordSpreadExpression") {
        const given = this.value(arg.argument, scope)
        for (const [key, value] of isDict(given) ? given : []) named.set(textOf(key), value)
      } else values.push(this.value(arg, scope))
    }
    return [values, named]
  }

  call({ args, callee }: NodeOf<"CallExpression">, scope: Scope): Value {
    const called = this.value(callee, scope)
    if (called instanceof Undefined) throw called.error()
    if (!(called instanceof PyFunction)) {
      throw new TemplateError("TypeError", `'${typeNameOf(called)}' object is not callable`)
    }
    const [values, named] = this.#arguments(args, scope)
    if (++this.#depth > depthMax) throw new TemplateError("TemplateRuntimeError", `Calls nest deeper than ${depthMax}.`)
    copy(sizeOf(...values, ...named.values()))
    const result = called.call(values, named)
    this.#depth--
    return result
  }

  filtered(filter: NodeOf<"Identifier"> | NodeOf<"CallExpression">, value: Value, scope: Scope): Value {
    const [name, args] = filter.type === "CallExpression" ? [filter.callee, filter.args] : [filter, []]
    if (name.type !== "Identifier") throw new TemplateError("TemplateSyntaxError", "a filter has a name")
    const [values, named] = this.#arguments(args, scope)
    return this.filter(name.value, value, values, named)
  }

  #binary({ left, operator: { value: operator }, right }: NodeOf<"BinaryExpression">, scope: Scope): Value {
    const first = this.value(left, scope)
    if (operator === "and") return isTrue(first) ? this.value(right, scope) : first
    if (operator === "or") return isTrue(first) ? first : this.value(right, scope)
    const second = this.value(right, scope)
    const comparison = comparisons[operator]
    copy(sizeOf(first, second))
    if (comparison === undefined) {
      return operator === "~" ? concatenated(first, second) : arithmetic(operator, first, second)
    }
    // a < b < c compares b once with each side.
    if (left.type !== "BinaryExpression" || comparisons[left.operator.value] === undefined) {
      return comparison(first, second)
    }
    return isTrue(first) && comparison(this.value(left.right, scope), second)
  }

  #unary({ argument, operator: { value: operator } }: NodeOf<"UnaryExpression">, scope: Scope): Value {
    const value = this.value(argument, scope)
    if (operator === "not") return !isTrue(value)
    if (value instanceof Undefined) throw value.error()
    if (isNumber(value)) return operator === "-" ? -value : value
    throw new TemplateError("TypeError", `bad operand type for unary ${operator}: '${typeNameOf(value)}'`)
  }

  #member({ computed, object, property }: NodeOf<"MemberExpression">, scope: Scope): Value {
    const value = this.value(object, scope)
    if (property.type === "SliceExpression") {
      const part = (node: Node | undefined) => node === undefined ? null : this.value(node, scope)
      if (value instanceof Undefined) throw value.error()
      return sliceOf(value, part(property.start), part(property.stop), part(property.step))
    }
    if (computed) return itemOf(value, this.value(property, scope))
    return property.type === "Identifier"
      ? attributeOf(value, property.value)
      : itemOf(value, this.value(property, scope))
  }

  value(node: Node, scope: Scope): Value {
    spend(1)
    switch (node.type) {
      case "Identifier": {
        const constant = constants.get(node.value)
        const value = constant === undefined ? scope.get(node.value) : constant
        return value === undefined ? new Undefined(`'${node.value}' is undefined`) : value
      }
      case "IntegerLiteral":
        return Number.isSafeInteger(node.value) ? BigInt(node.value) : BigInt(Math.trunc(node.value))
      case "FloatLiteral":
      case "StringLiteral":
        return node.value
      case "ArrayLiteral":
        return node.value.map((part) => this.value(part, scope))
      case "TupleLiteral":
        return new Tuple(node.value.map((part) => this.value(part, scope)))
      case "ObjectLiteral":
        return new Map([...node.value].map(([key, value]) => [this.value(key, scope), this.value(value, scope)]))
      case "CallExpression":
        return this.call(node, scope)
      case "MemberExpression":
        return this.#member(node, scope)
      case "UnaryExpression":
        return this.#unary(node, scope)
      case "BinaryExpression":
        return this.#binary(node, scope)
      case "FilterExpression":
        return this.filtered(node.filter, this.value(node.operand, scope), scope)
      case "SelectExpression":
        return isTrue(this.value(node.test, scope))
          ? this.value(node.lhs, scope)
          : new Undefined("the inline if-expression has no else")
      case "Ternary":
        return this.value(isTrue(this.value(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope)
      default:
        throw new TemplateError("TemplateSyntaxError", `${node.type} is not expected here`)
    }
  }
}
