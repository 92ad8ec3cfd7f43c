/** The error of a recording, or a stream of bytes, that cannot be used. */
import { Data } from "effect"

/** A file that cannot be read or is not a capture of a known format. */
export class UnreadableRecording extends Data.TaggedError("UnreadableRecording")<{
  readonly file: string
  readonly message: string
}> {
  /** The error of a file that the operating system cannot read. */
  static of(file: string, error: unknown): UnreadableRecording {
    const why = error instanceof Error ? error.message : String(error)
    return new UnreadableRecording({ file, message: `"${file}" cannot be read: ${why}` })
  }
}
