/** What a recorder reads: the batches of live nodes since the last look, and what was lost. */
import type { CsiBatch } from "../../core/formats/csi-batch.ts"

export interface LiveBatches {
  /** Frames of each router so far. */
  readonly frames: ReadonlyMap<string, number>
  /** Losses so far by reason. */
  readonly dropped: ReadonlyMap<string, number>
  /** The losses in sentences without a full stop; none if nothing was lost. */
  readonly lossText: () => ReadonlyArray<string>
  /** Removes and returns the batches. */
  readonly take: () => ReadonlyArray<CsiBatch>
}
