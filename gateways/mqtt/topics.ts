/**
 * The topics of nodes.
 *
 * Invariant: two nodes never share a topic or an id. A node's id becomes a word of the characters that Home Assistant accepts in ids; each
 * other character is written as `_` and two hexadecimal digits.
 */

export interface TopicNames {
  /** First level of this service's own topics. Each service on a broker needs its own. */
  readonly base: string
  /** First level of Home Assistant's discovery topics. */
  readonly discoveryPrefix: string
}

/** One level of a topic that is also an id in Home Assistant. */
export const topicWordPattern = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/

/** Words below the base topic that nodes cannot use, because the home runtime publishes there. */
const reserved: ReadonlySet<string> = new Set(["home"])

/** The word for a node's id. */
export const wordOf = (nodeId: string): string => {
  const word = nodeId.replace(
    /[^A-Za-z0-9-]/g,
    (character) => `_${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  )
  // No id contains the character 0.
  return reserved.has(word) ? `${word}_00` : word
}

export interface NodeTopics {
  readonly discovery: string
  readonly availability: string
  readonly state: string
  readonly events: string
}

/** The topic of the service's own availability, which is also its last will. */
export const serviceAvailability = ({ base }: TopicNames): string => `${base}/availability`

/** The topic of Home Assistant's birth and will messages. */
export const homeStatus = ({ discoveryPrefix }: TopicNames): string => `${discoveryPrefix}/status`

const discoveryOf = ({ base, discoveryPrefix }: TopicNames, word: string): string =>
  `${discoveryPrefix}/device/${base}/${word}/config`

/** The topic filter of all announcements of this service. */
export const announcements = (names: TopicNames): string => discoveryOf(names, "+")

/** The topic filter of the availability of all nodes. */
export const availabilities = ({ base }: TopicNames): string => `${base}/+/availability`

/** The level in the place of the `+` of a filter; null if the topic is another one. */
const wordIn = (filter: string, topic: string): string | null => {
  const [before, after] = filter.split("+") as [string, string]
  return topic.startsWith(before) && topic.endsWith(after) && topic.length > before.length + after.length
    ? topic.slice(before.length, -after.length)
    : null
}

/** The node's word in a topic of `announcements`; null for any other topic. */
export const announcedWord = (names: TopicNames, topic: string): string | null => wordIn(announcements(names), topic)

/** The node's word in a topic of `availabilities`; null for any other topic. */
export const availableWord = (names: TopicNames, topic: string): string | null => wordIn(availabilities(names), topic)

/** The topics of the node with this word. */
export const topicsOf = (names: TopicNames, word: string): NodeTopics => ({
  discovery: discoveryOf(names, word),
  availability: `${names.base}/${word}/availability`,
  state: `${names.base}/${word}/state`,
  events: `${names.base}/${word}/events`,
})
