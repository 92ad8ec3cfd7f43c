/**
 * The form of the answer to a request: the query parameter `form`, then the header `X-Response-Form`, then the server's default.
 */
import { Result } from "effect"
import { InvalidRequest } from "../../../protocols/pose-api/edge-failures.ts"
import { type Form, forms } from "../../../protocols/pose-api/forms.ts"

const isForm = (text: string): text is Form => (forms as ReadonlyArray<string>).includes(text)

/** The form, or why the request is invalid; `asked` is the query parameter. */
export const responseForm = (
  asked: string | null,
  header: string | undefined,
  byDefault: Form,
): Result.Result<Form, InvalidRequest> => {
  const text = asked ?? header ?? byDefault
  if (isForm(text)) return Result.succeed(text)
  const field = asked === null ? "X-Response-Form" : "form"
  return Result.fail(InvalidRequest.of(field, `must be ${forms.join(" or ")}`, text.slice(0, 32)))
}
