/** The failure of a request to the pose API. */
import type { Problem } from "./types.ts"

/** An answer that is not a success, or no answer: `status` 0. */
export class RequestFailed extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, { code, message }: Problem) {
    super(message)
    this.status = status
    this.code = code
  }
}
