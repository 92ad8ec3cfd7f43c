/**
 * Reads times of clients.
 */
const timePattern = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** An ISO 8601 time in microseconds since the Unix epoch; UTC if it has no zone. Null if it is invalid. */
export const readTime = (text: string): number | null => {
  // A plus sign in a query may have been decoded as a space.
  const given = text.replace(/ (\d{2}:?\d{2})$/, "+$1").replace(/^(\d{4}-\d{2}-\d{2}) /, "$1T")
  if (!timePattern.test(given)) return null
  const zoned = given.length === 10 || /(Z|[+-]\d{2}:?\d{2})$/.test(given.slice(10)) ? given : `${given}Z`
  const ms = Date.parse(zoned)
  return Number.isNaN(ms) ? null : ms * 1000
}
