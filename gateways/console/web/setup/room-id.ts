/** Ids of rooms from their names. Pure. */

const idLengthMax = 64

/** An id for a name that no other room has: `Living room` becomes `living-room`, then `living-room-2`; a name without Latin letters `room`. */
export const roomIdOf = (name: string, taken: ReadonlySet<string>): string => {
  const words = name.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "")
  const base = words || "room"
  for (let number = 1;; number++) {
    const suffix = number === 1 ? "" : `-${number}`
    const id = base.slice(0, idLengthMax - suffix.length) + suffix
    if (!taken.has(id)) return id
  }
}
