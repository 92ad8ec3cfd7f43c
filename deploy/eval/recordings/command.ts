/** `npm run eval -- --recordings DIR`: judges presence, motion and breathing on real captures. */
import { Console, Effect, Schema } from "effect"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { readCaptures } from "./captures.ts"
import { type LabelOf, parseLabels } from "./labels.ts"
import { publicLabelOf } from "./public-labels.ts"
import { recordingsJson, recordingsText } from "./report.ts"
import { recordingsBoard } from "./scoreboard.ts"

interface RecordingsOptions {
  readonly folder: string
  /** File of labels; null: those of public recordings. */
  readonly labels: string | null
  /** Print JSON instead of tables. */
  readonly json: boolean
  /** Folder that keeps the figures; null: they are only printed. */
  readonly out: string | null
}

/** The recordings cannot be judged; the message says why, and what to change where that helps. */
class RecordingsNotJudged
  extends Schema.TaggedError<RecordingsNotJudged>()("RecordingsNotJudged", { message: Schema.String }) {}

const failed = (what: string) => (cause: unknown) =>
  new RecordingsNotJudged({ message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}` })

const labelsOf = (file: string | null): Effect.Effect<LabelOf, RecordingsNotJudged> =>
  file === null ? Effect.succeed(publicLabelOf) : Effect.tryPromise({
    try: async () => parseLabels(await readFile(file, "utf8")),
    catch: failed(`cannot use the labels of "${file}"`),
  })

/** Judges the recordings of a folder, prints the figures, and keeps them in a folder if one is named. */
export const judgeRecordings = Effect.fnUntraced(function* ({ folder, json, labels, out }: RecordingsOptions) {
  const labelOf = yield* labelsOf(labels)
  const { captures, ...files } = yield* Effect.try({
    try: () => readCaptures(folder, labelOf),
    catch: failed(`cannot read the recordings below "${folder}"`),
  })
  if (captures.length === 0) {
    return yield* new RecordingsNotJudged({
      message: `no recording below "${folder}" has a label: name them in a file with --labels FILE`,
    })
  }
  const board = recordingsBoard(captures)
  const text = recordingsText(board, files)
  if (out !== null) {
    yield* Effect.tryPromise({
      try: async () => {
        await mkdir(out, { recursive: true })
        await writeFile(join(out, "recordings.json"), `${JSON.stringify(recordingsJson(board), null, 2)}\n`)
        await writeFile(join(out, "recordings.md"), `${text}\n`)
      },
      catch: failed(`cannot write to "${out}"`),
    })
  }
  yield* Console.log(json ? JSON.stringify(recordingsJson(board)) : text)
})
