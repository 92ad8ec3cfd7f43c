/** Labels of rooms: the port through which edges read and change them. The store implements it. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../domain/failure.ts"
import type { RoomLabel } from "../domain/label.ts"

interface LabelQuery {
  readonly environmentId: string
  /** Labels that overlap [fromMs, toMs); null: no limit. */
  readonly fromMs: number | null
  readonly toMs: number | null
  readonly limit: number
}

export class Labels extends Context.Service<Labels, {
  /** The newest first. */
  readonly list: (query: LabelQuery) => Effect.Effect<ReadonlyArray<RoomLabel>, StoreUnavailable>
  /** Stores a label; null, and stores nothing, if it overlaps another one of its room. */
  readonly add: (
    label: Omit<RoomLabel, "labelId" | "createdMs">,
  ) => Effect.Effect<RoomLabel | null, StoreUnavailable>
  /** Whether there was one. */
  readonly remove: (labelId: string) => Effect.Effect<boolean, StoreUnavailable>
}>()("wavepose/protocols/Labels") {}
