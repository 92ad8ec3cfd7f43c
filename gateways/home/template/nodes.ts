/**
 * The nodes of a parsed template, as the parser makes them.
 */
interface Of<Type extends string> {
  readonly type: Type
}

type Name = Of<"Identifier"> & { readonly value: string }
type Call = Of<"CallExpression"> & { readonly callee: Node; readonly args: ReadonlyArray<Node> }
type KeywordArgument = Of<"KeywordArgumentExpression"> & { readonly key: Name; readonly value: Node }
type Body = ReadonlyArray<Node>
/** An operator: a symbol, or a word such as `not in`. */
interface Operator {
  readonly value: string
}

export type Node =
  | Name
  | Call
  | KeywordArgument
  | Of<"Program"> & { readonly body: Body }
  | Of<"Break" | "Continue" | "Comment">
  | Of<"If"> & { readonly test: Node; readonly body: Body; readonly alternate: Body }
  | Of<"For"> & { readonly loopvar: Node; readonly iterable: Node; readonly body: Body; readonly defaultBlock: Body }
  | Of<"Set"> & { readonly assignee: Node; readonly value: Node | null; readonly body: Body }
  | Of<"Macro"> & { readonly name: Name; readonly args: Body; readonly body: Body }
  | Of<"CallStatement"> & { readonly call: Call; readonly callerArgs: Body | null; readonly body: Body }
  | Of<"FilterStatement"> & { readonly filter: Name | Call; readonly body: Body }
  | Of<"IntegerLiteral" | "FloatLiteral"> & { readonly value: number }
  | Of<"StringLiteral"> & { readonly value: string }
  | Of<"ArrayLiteral" | "TupleLiteral"> & { readonly value: Body }
  | Of<"ObjectLiteral"> & { readonly value: ReadonlyMap<Node, Node> }
  | Of<"MemberExpression"> & { readonly object: Node; readonly property: Node; readonly computed: boolean }
  | Of<"SliceExpression"> & { readonly start?: Node; readonly stop?: Node; readonly step?: Node }
  | Of<"UnaryExpression"> & { readonly operator: Operator; readonly argument: Node }
  | Of<"BinaryExpression"> & { readonly operator: Operator; readonly left: Node; readonly right: Node }
  | Of<"FilterExpression"> & { readonly operand: Node; readonly filter: Name | Call }
  | Of<"SelectExpression"> & { readonly lhs: Node; readonly test: Node }
  | Of<"Ternary"> & { readonly condition: Node; readonly trueExpr: Node; readonly falseExpr: Node }
  | Of<"SpreadExpression" | "KeywordSpreadExpression"> & { readonly argument: Node }

export type NodeOf<Type extends Node["type"]> = Extract<Node, { readonly type: Type }>
