/** Why a recording, or a stream of bytes, cannot be used. */
import { Data } from "effect"

/** A file that cannot be read or holds no capture of a known format. */
export class UnreadableRecording extends Data.TaggedError("UnreadableRecording")<{
  readonly file: string
  readonly message: string
}> {
  /** One that the operating system refuses. */
  static of(file: string, error: unknown): UnreadableRecording {
    const why = error instanceof Error ? error.message : String(error)
    return new UnreadableRecording({ file, message: `"${file}" cannot be read: ${why}` })
  }
}
