/**
 * The triggers that a client subscribes to, of all platforms.
 */
import { Result, Schema } from "effect"
import type { JsonObject } from "../../../protocols/domain/home.ts"
import type { Replica } from "../../../protocols/ports/home-runtime.ts"
import type { After } from "../server/after.ts"
import { isObject } from "../server/json.ts"
import type { Renderer } from "../template/rendering.ts"
import { listOf } from "./entity-filter.ts"
import { eventThatFires, EventTrigger, eventTriggerText } from "./event-trigger.ts"
import { NumericTrigger, watchNumber } from "./numeric-trigger.ts"
import { StateTrigger, triggerText } from "./state-trigger.ts"
import { TemplateTrigger, watchTemplateTrigger } from "./template-trigger.ts"
import { TimePatternTrigger, watchTimePattern } from "./time-pattern-trigger.ts"
import { watchTriggers } from "./trigger-watch.ts"

type Trigger = StateTrigger | NumericTrigger | EventTrigger | TimePatternTrigger | TemplateTrigger

const schemas = {
  state: StateTrigger,
  numeric_state: NumericTrigger,
  event: EventTrigger,
  time_pattern: TimePatternTrigger,
  template: TemplateTrigger,
} as const

const isPlatform = (name: unknown): name is keyof typeof schemas =>
  typeof name === "string" && Object.hasOwn(schemas, name)

const options = { onExcessProperty: "error", errors: "first" } as const
type Read = Result.Result<Trigger, Schema.SchemaError>
const decoders = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [
    name,
    (given: unknown): Read => Schema.decodeUnknownResult(schema as Schema.Codec<Trigger>, options)(given),
  ]),
) as { readonly [Name in keyof typeof schemas]: (given: unknown) => Read }

/** The most triggers of one subscription. */
const triggersMax = 256

const readOne = (given: unknown): Trigger | string => {
  if (!isObject(given)) return "a trigger is an object"
  // Newer clients say `trigger` where older ones say `platform`.
  const { enabled: _, platform, trigger, ...rest } = given
  const name = trigger ?? platform
  if (name === undefined) return "required key not provided at 'trigger'"
  if (!isPlatform(name)) return `Invalid trigger '${String(name)}' specified`
  const read = decoders[name]({ platform: name, ...rest })
  return Result.isSuccess(read) ? read.success : read.failure.message
}

/** The triggers in a message, one or a list; or why they are invalid. */
export const readTriggers = (given: unknown): ReadonlyArray<Trigger> | string => {
  const list = Array.isArray(given) ? given : [given]
  if (list.length > triggersMax) return `at most ${triggersMax} triggers`
  const triggers: Array<Trigger> = []
  for (const each of list) {
    if (isObject(each) && each["enabled"] === false) continue
    const read = readOne(each)
    if (typeof read === "string") return read
    triggers.push(read)
  }
  return triggers
}

/** The most timers that triggers may hold at a time. */
export const timersOf = (triggers: ReadonlyArray<Trigger>): number =>
  triggers.reduce((sum, trigger) => {
    if (trigger.platform === "time_pattern") return sum + 1
    if (trigger.platform === "event" || trigger.for === undefined) return sum
    return sum + (trigger.platform === "template" ? 1 : listOf(trigger.entity_id).length)
  }, 0)

/** The templates of triggers. */
export const templatesOf = (triggers: ReadonlyArray<Trigger>): ReadonlyArray<string> =>
  triggers.flatMap((trigger) => trigger.platform === "template" ? [trigger.value_template] : [])

interface WatchTools {
  readonly after: After
  readonly replica: Replica
  readonly renderer: Renderer
  readonly variables: JsonObject
  /** Called with the event of a fired trigger, as JSON text. */
  readonly send: (text: string) => void
}

const watchOne = (trigger: Trigger, index: number, tools: WatchTools): () => void => {
  const { after, renderer, replica, send } = tools
  switch (trigger.platform) {
    case "time_pattern":
      return watchTimePattern(trigger, index, { after, nowMs: renderer.nowMs, send })
    case "template":
      return watchTemplateTrigger(trigger, index, tools)
    case "event":
      return replica.listen((entries) => {
        for (const entry of entries) {
          const found = eventThatFires(trigger, entry)
          if (found !== null) send(eventTriggerText(trigger, index, found))
        }
      })
    default: {
      const watch = trigger.platform === "state"
        ? watchTriggers([trigger], after, (one, _, change) => send(triggerText(one, index, change)))
        : watchNumber(trigger, index, { after, one: replica.one.bind(replica), send })
      const stop = replica.listen((entries) => {
        for (const entry of entries) if (entry.kind === "changed") watch.take(entry)
      })
      return () => {
        stop()
        watch.end()
      }
    }
  }
}

/** Watches triggers. Returns a function that ends it. */
export const watchAll = (triggers: ReadonlyArray<Trigger>, tools: WatchTools): () => void => {
  const ends = triggers.map((trigger, index) => watchOne(trigger, index, tools))
  return () => ends.forEach((end) => end())
}
