/** The content of a picture: one link of a capture, over columns of equal time. */
import type { RadioLayout } from "../formats/csi-batch.ts"
import type { LayoutCount } from "./census.ts"

/** A link and the layout in which most of its frames are. */
export interface ChosenLink {
  readonly transmitterId: string
  readonly layout: RadioLayout
}

/** The busiest link of a capture, over its commonest layout. */
export const chooseLink = ({ busiest, layout }: LayoutCount): ChosenLink => ({
  transmitterId: busiest.transmitterId,
  layout,
})

/** Columns of equal length, from the first packet of a capture to its last. */
export interface TimeColumns {
  readonly fromUs: number
  readonly columnUs: number
  readonly count: number
}

/** At most `countMax` columns of at least `columnUsMin`, which fill the span from its first instant to its last. */
export const timeColumns = (
  { fromUs, untilUs }: { readonly fromUs: number; readonly untilUs: number },
  columnUsMin: number,
  countMax: number,
): TimeColumns => {
  const count = Math.max(1, Math.min(countMax, Math.floor((untilUs - fromUs) / columnUsMin)))
  return { fromUs, columnUs: (untilUs - fromUs) / count, count }
}

/** The column of a time; the last instant belongs to the last column. */
export const columnOf = ({ columnUs, count, fromUs }: TimeColumns, timestampUs: number): number =>
  Math.max(0, Math.min(count - 1, Math.floor((timestampUs - fromUs) / columnUs)))
