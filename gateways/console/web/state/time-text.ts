/** Times of day and dates as the whole console shows them: of the reader's time zone, in 24 hours. Pure. */

type Time = string | number

const clock = { hourCycle: "h23" } as const

/** E.g. `07:24`. */
export const minuteText = (time: Time): string =>
  new Date(time).toLocaleTimeString([], { ...clock, hour: "2-digit", minute: "2-digit" })

/** E.g. `07:24:17`. */
export const secondText = (time: Time): string => new Date(time).toLocaleTimeString([], clock)

/** E.g. `Nov 25, 2026, 07:24`; in another time zone than the reader's if one is given. */
export const dateMinuteText = (time: Time, timeZone?: string): string =>
  new Date(time).toLocaleString([], { ...clock, dateStyle: "medium", timeStyle: "short", timeZone })

/** A date with a time of day. */
export const dateTimeText = (time: Time): string => new Date(time).toLocaleString([], clock)
