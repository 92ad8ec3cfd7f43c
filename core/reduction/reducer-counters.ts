/** Counters of a reducer. */

/** Dropped frames by reason, and channel events, counted since the reducer was created. */
export interface ReducerCounters {
  /** Older than the current hop. */
  late: number
  /** No power, not finite, or inconsistent with the batch's layout. */
  invalid: number
  /** More than 256 of one link in a hop. */
  overflow: number
  /** Frames of a layout other than the majority's. */
  otherLayout: number
  /** Frames of a transmitter past `linksMax`. */
  linksFull: number
  /** Times that the receiver's clock was set back. */
  clockRestarts: number
  /** Steps of the receiver's gain, and permanent changes of static responses without motion. */
  gainSteps: number
  channelChanges: number
}

export const noCounts = (): ReducerCounters => ({
  late: 0,
  invalid: 0,
  overflow: 0,
  otherLayout: 0,
  linksFull: 0,
  clockRestarts: 0,
  gainSteps: 0,
  channelChanges: 0,
})

/** How many frames were dropped. */
export const droppedCount = ({ invalid, late, linksFull, otherLayout, overflow }: Readonly<ReducerCounters>): number =>
  late + invalid + overflow + otherLayout + linksFull

/** The dropped frames by reason, in words. */
export const droppedText = ({ invalid, late, linksFull, otherLayout, overflow }: Readonly<ReducerCounters>): string =>
  [
    [late, "late"],
    [invalid, "without a usable channel (empty or not finite)"],
    [overflow, "too many in one hop"],
    [otherLayout, "of another layout"],
    [linksFull, "of too many transmitters"],
  ].filter(([count]) => count as number > 0).map(([count, what]) => `${count} ${what}`).join(", ")
