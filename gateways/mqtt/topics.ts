/**
 * The topics under which nodes appear, and what is said on one.
 *
 * Invariant: two nodes never share a topic or an id. A node's id becomes a word of the characters that Home Assistant takes in ids; what
 * else is in it is written as `_` and two hexadecimal digits.
 */

export interface TopicNames {
  /** First level of this service's own topics; another service on the same broker needs another one. */
  readonly base: string
  /** First level of Home Assistant's discovery. */
  readonly discoveryPrefix: string
}

/** One level of a topic that is an id to Home Assistant as well. */
export const topicWordPattern = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/

/** Words below the base topic that are not of nodes: what the home runtime shows. */
const taken: ReadonlySet<string> = new Set(["home"])

/** The word for a node's id. */
export const wordOf = (nodeId: string): string => {
  const word = nodeId.replace(
    /[^A-Za-z0-9-]/g,
    (character) => `_${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  )
  // No id has the character 0.
  return taken.has(word) ? `${word}_00` : word
}

export interface NodeTopics {
  readonly discovery: string
  readonly availability: string
  readonly state: string
  readonly events: string
}

/** Whether this service is there at all; its last will. */
export const serviceAvailability = ({ base }: TopicNames): string => `${base}/availability`

/** Home Assistant's own birth and will. */
export const homeStatus = ({ discoveryPrefix }: TopicNames): string => `${discoveryPrefix}/status`

const discoveryOf = ({ base, discoveryPrefix }: TopicNames, word: string): string =>
  `${discoveryPrefix}/device/${base}/${word}/config`

/** What this service has announced, in this life or an earlier one. */
export const announcements = (names: TopicNames): string => discoveryOf(names, "+")

/** The node's word of a topic of `announcements`; null for any other topic. */
export const announcedWord = (names: TopicNames, topic: string): string | null => {
  const [before, after] = announcements(names).split("+") as [string, string]
  return topic.startsWith(before) && topic.endsWith(after) && topic.length > before.length + after.length
    ? topic.slice(before.length, -after.length)
    : null
}

/** The topics of the node of this word. */
export const topicsOf = (names: TopicNames, word: string): NodeTopics => ({
  discovery: discoveryOf(names, word),
  availability: `${names.base}/${word}/availability`,
  state: `${names.base}/${word}/state`,
  events: `${names.base}/${word}/events`,
})
