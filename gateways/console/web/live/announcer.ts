/**
 * What a screen reader says of the rooms on its own: which of them changed, at most a sentence each in five seconds.
 *
 * A card changes several times a second; how sure its sentence is, is left to readers who go there.
 */

export interface Said {
  readonly name: string
  readonly sentence: string
  /** Two sentences with the same kind say the same. */
  readonly kind: string
}

const pauseMs = 5_000

/** The announcement at a time, for the rooms by their ids; null: not known. What is known at first is read with the page. */
export const makeAnnouncer = () => {
  let before: ReadonlyMap<string, Said> | null = null
  let saidAtMs = -Infinity
  let text = ""
  return (rooms: ReadonlyMap<string, Said> | null, nowMs: number): string => {
    if (rooms === null) return text
    if (before !== null && nowMs < saidAtMs + pauseMs) return text
    const known = before
    const changed = known === null ? [] : [...rooms].filter(([id, { kind }]) => known.get(id)?.kind !== kind)
    before = rooms
    if (changed.length === 0) return text
    saidAtMs = nowMs
    return text = changed.map(([, { name, sentence }]) => `${name}: ${sentence}.`).join(" ")
  }
}
