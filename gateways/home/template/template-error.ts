/**
 * The error of a template, with the name that Python gives to its kind.
 */
export type ErrorKind =
  | "AttributeError"
  | "OverflowError"
  | "SecurityError"
  | "TemplateAssertionError"
  | "TemplateError"
  | "TemplateRuntimeError"
  | "TemplateSyntaxError"
  | "TypeError"
  | "UndefinedError"
  | "ValueError"
  | "ZeroDivisionError"

export class TemplateError extends Error {
  readonly kind: ErrorKind
  constructor(kind: ErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}
