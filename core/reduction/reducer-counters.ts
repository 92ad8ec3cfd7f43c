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
