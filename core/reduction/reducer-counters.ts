/** What a reducer counts beside its observations. */

/** Frames that were left out, and why; counted since the reducer was made. */
export interface ReducerCounters {
  /** Older than the present hop. */
  late: number
  /** No power, not finite, or not what the batch's layout says. */
  invalid: number
  /** More than 256 of one link in a hop. */
  overflow: number
  /** Of another layout than the one that most frames have. */
  otherLayout: number
  /** Of a transmitter past `linksMax`. */
  linksFull: number
  /** Times that the receiver's clock was set back. */
  clockRestarts: number
  /** Steps of the receiver's gain, and static responses that became others while nothing moved. */
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
