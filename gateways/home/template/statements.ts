/**
 * Runs the statements of a parsed template. One instance renders once. Its output is bounded.
 */
import { spend } from "./budget.ts"
import type { Expressions } from "./expressions.ts"
import { Scope } from "./expressions.ts"
import { loopValue } from "./loop.ts"
import type { Node, NodeOf } from "./nodes.ts"
import { boundedText } from "./operators.ts"
import { TemplateError } from "./template-error.ts"
import { isTrue, Namespace, PyFunction, textOf, Tuple, Undefined, type Value } from "./values.ts"

class Break extends TemplateError {
  constructor() {
    super("TemplateSyntaxError", "'break' outside loop")
  }
}
class Continue extends TemplateError {
  constructor() {
    super("TemplateSyntaxError", "'continue' not properly in loop")
  }
}

export class Statements {
  readonly #expressions: Expressions
  constructor(expressions: Expressions) {
    this.#expressions = expressions
  }

  /** The output of a program with these variables. */
  render(program: Node, variables: ReadonlyMap<string, Value>): string {
    return this.#block((program as NodeOf<"Program">).body, this.#expressions.scope(variables))
  }

  #block(body: ReadonlyArray<Node>, scope: Scope): string {
    let out = ""
    for (const node of body) {
      spend(1)
      out += this.#statement(node, scope)
      if (out.length > 2_000) boundedText(out)
    }
    return out
  }

  /** The output of a statement, or of an expression that is printed. */
  #statement(node: Node, scope: Scope): string {
    switch (node.type) {
      case "If":
        return this.#block(isTrue(this.#expressions.value(node.test, scope)) ? node.body : node.alternate, scope)
      case "For":
        return this.#loop(node, scope)
      case "Set":
        this.#set(node, scope)
        return ""
      case "Macro":
        scope.set(node.name.value, this.#macro(node.name.value, node.args, node.body, scope))
        return ""
      case "CallStatement": {
        const callee = new Scope(scope)
        callee.set("caller", this.#macro("caller", node.callerArgs ?? [], node.body, scope))
        return textOf(this.#expressions.call(node.call, callee))
      }
      case "FilterStatement":
        return textOf(this.#expressions.filtered(node.filter, this.#block(node.body, scope), scope))
      case "Break":
        throw new Break()
      case "Continue":
        throw new Continue()
      case "Comment":
        return ""
      default:
        return this.#printed(this.#expressions.value(node, scope))
    }
  }

  #printed(value: Value): string {
    if (
      value instanceof Undefined && (this.#expressions.strict || value.kind === "SecurityError" && value.message === "")
    ) {
      throw value.error()
    }
    return textOf(value)
  }

  #assign(target: Node, value: Value, scope: Scope): void {
    if (target.type === "Identifier") return scope.set(target.value, value)
    if (target.type === "TupleLiteral" || target.type === "ArrayLiteral") {
      const values = this.#expressions.items(value)
      const wanted = target.value.length
      if (values.length !== wanted) {
        const problem = values.length < wanted
          ? `not enough values to unpack (expected ${wanted}, got ${values.length})`
          : `too many values to unpack (expected ${wanted})`
        throw new TemplateError("ValueError", problem)
      }
      return target.value.forEach((part, i) => this.#assign(part, values[i]!, scope))
    }
    const holder = target.type === "MemberExpression" ? this.#expressions.value(target.object, scope) : null
    if (target.type !== "MemberExpression" || !(holder instanceof Namespace) || target.property.type !== "Identifier") {
      throw new TemplateError("TemplateRuntimeError", "cannot assign attribute on non-namespace object")
    }
    holder.values.set(target.property.value, value)
  }

  #set(node: NodeOf<"Set">, scope: Scope): void {
    const { assignee, body, value } = node
    if (value !== null) return this.#assign(assignee, this.#expressions.value(value, scope), scope)
    // A block may be filtered: {% set x | upper %}.
    if (assignee.type === "FilterExpression") {
      return this.#assign(
        assignee.operand,
        this.#expressions.filtered(assignee.filter, this.#block(body, scope), scope),
        scope,
      )
    }
    this.#assign(assignee, this.#block(body, new Scope(scope)), scope)
  }

  #loop({ body, defaultBlock, iterable, loopvar }: NodeOf<"For">, scope: Scope): string {
    const selected = iterable.type === "SelectExpression" ? iterable : null
    const all = this.#expressions.items(this.#expressions.value(selected?.lhs ?? iterable, scope))
    const fits = (value: Value): boolean => {
      if (selected === null) return true
      const trial = new Scope(scope)
      this.#assign(loopvar, value, trial)
      return isTrue(this.#expressions.value(selected.test, trial))
    }
    const values = selected === null ? all : all.filter(fits)
    if (values.length === 0) return this.#block(defaultBlock, scope)
    let out = ""
    for (const [i, value] of values.entries()) {
      const inner = new Scope(scope)
      inner.set("loop", loopValue(values, i))
      this.#assign(loopvar, value, inner)
      try {
        out += this.#block(body, inner)
      } catch (error) {
        if (error instanceof Break) break
        if (!(error instanceof Continue)) throw error
      }
      boundedText(out)
    }
    return out
  }

  #macro(name: string, parameters: ReadonlyArray<Node>, body: ReadonlyArray<Node>, scope: Scope): PyFunction {
    return new PyFunction(name, (args, named) => {
      const inner = new Scope(scope)
      const names = new Set<string>()
      parameters.forEach((parameter, i) => {
        const key = parameter.type === "KeywordArgumentExpression"
          ? parameter.key.value
          : (parameter as NodeOf<"Identifier">).value
        const given = args[i] ?? named.get(key)
        const otherwise = parameter.type === "KeywordArgumentExpression"
          ? () => this.#expressions.value(parameter.value, inner)
          : () => new Undefined(`parameter '${key}' was not provided`)
        names.add(key)
        inner.set(key, given === undefined ? otherwise() : given)
      })
      inner.set("varargs", new Tuple(args.slice(parameters.length)))
      inner.set("kwargs", new Map([...named].filter(([key]) => !names.has(key))))
      return this.#block(body, inner)
    })
  }
}
