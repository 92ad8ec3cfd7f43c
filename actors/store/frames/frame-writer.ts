/**
 * How a batch of frames is written: copied where that is possible and worth it, otherwise inserted. Either is one transaction, and leaves the
 * same rows.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeCopyClients } from "../sql/copy-clients.ts"
import { copyFrames } from "./frame-copy.ts"
import type { FrameBatch } from "./frame-id-fence.ts"
import { insertFrames, type Memory } from "./frame-statement.ts"

/** From so many frames on a batch is copied: that takes five round trips, and an insert takes one. */
const copiedMin = 32

/** Makes what writes batches; it answers of each environment the id that was its newest before: what is above it was written. */
export const makeFrameWriter = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const withCopyClient = yield* makeCopyClients

  const insert = (batch: FrameBatch, memory: Memory) =>
    // A frame that went to the default partition while another node made the partition of its day is refused once.
    Effect.retry(insertFrames(sql, batch, memory), {
      times: 1,
      while: ({ reason }) => reason._tag === "ConstraintError",
    })

  return (batch: FrameBatch, memory: Memory) => {
    if (withCopyClient === null || batch.frames.length < copiedMin) return insert(batch, memory)
    return withCopyClient((client) => copyFrames(client, batch, memory)).pipe(
      Effect.catchTag(
        "NotCopied",
        ({ cause }) => Effect.as(Effect.logWarning("frames could not be copied and are inserted", cause), null),
      ),
      Effect.flatMap((previous) => previous === null ? insert(batch, memory) : Effect.succeed(previous)),
    )
  }
})
