/** The error of a file that cannot be written. */
import { Data } from "effect"

/** A file that the operating system cannot write. */
export class UnwritableFile extends Data.TaggedError("UnwritableFile")<{
  readonly file: string
  readonly message: string
}> {
  static of(file: string, error: unknown): UnwritableFile {
    const why = error instanceof Error ? error.message : String(error)
    return new UnwritableFile({ file, message: `"${file}" cannot be written: ${why}` })
  }
}
