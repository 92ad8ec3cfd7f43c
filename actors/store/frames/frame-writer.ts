/**
 * Chooses how a batch of frames is written: by COPY if that is possible and worthwhile, else by INSERT. Both use one transaction and
 * produce the same rows.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeCopyClients } from "../sql/copy-clients.ts"
import { copyFrames } from "./frame-copy.ts"
import type { FrameBatch } from "./frame-id-fence.ts"
import { insertFrames, type Memory } from "./frame-statement.ts"

/**
 * The smallest number of appends whose frames are copied: COPY takes five round trips, INSERT one. An append has many frames where a round
 * trip takes long, so their number does not count.
 */
const copiedMin = 32

/** Makes the writer of batches. It returns the previous newest id of each environment: frames with higher ids were written. */
export const makeFrameWriter = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const withCopyClient = yield* makeCopyClients

  const insert = (batch: FrameBatch, memory: Memory) =>
    // A frame of the default partition is rejected once if another node has just created the partition of its day.
    Effect.retry(insertFrames(sql, batch, memory), {
      times: 1,
      while: ({ reason }) => reason._tag === "ConstraintError",
    })

  return (batch: FrameBatch, appends: number, memory: Memory) => {
    if (withCopyClient === null || appends < copiedMin) return insert(batch, memory)
    return withCopyClient((client) => copyFrames(client, batch, memory)).pipe(
      Effect.catchTag(
        "NotCopied",
        ({ cause }) => Effect.as(Effect.logWarning("frames could not be copied and are inserted", cause), null),
      ),
      Effect.flatMap((previous) => previous === null ? insert(batch, memory) : Effect.succeed(previous)),
    )
  }
})
