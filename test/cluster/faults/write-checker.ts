/**
 * The checker of writes: compares what clients were answered with what is stored. Pure.
 *
 * 1. A write that was answered as done is there, once.
 * 2. A write without such an answer is there once or not at all.
 * 3. Writes of one client, which waits for each answer, are in their order.
 */

/** A write; `isDone`: its client was answered that it is done. */
export interface Write {
  readonly client: string
  /** What is looked for in the store; each write has another one. */
  readonly content: string
  isDone: boolean
}

/**
 * What is wrong; empty: nothing.
 *
 * @param stored the contents of the store in their order, also those of others
 */
export const writeViolationsOf = (
  writes: ReadonlyArray<Write>,
  stored: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const places = Map.groupBy(stored.keys(), (i) => stored[i]!)
  const newest = new Map<string, number>()
  return writes.flatMap(({ client, content, isDone }) => {
    const [first, ...more] = places.get(content) ?? []
    if (more.length > 0) return [`${client}: ${content} is stored ${more.length + 1} times`]
    if (!isDone) return []
    if (first === undefined) return [`${client}: ${content} was answered as done and is lost`]
    const before = newest.get(client) ?? -1
    newest.set(client, Math.max(before, first))
    return first < before ? [`${client}: ${content} is stored before an earlier write`] : []
  })
}
