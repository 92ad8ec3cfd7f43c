/**
 * The work of one EdgeNode actor: its readings, their meaning, its subscribers, and the learned week of its site.
 *
 * Boundary: records are built in `record.ts`; the semantic events are `core/semantics`.
 *
 * Invariants:
 * 1. A subscriber gets every record after its subscription, or a newer one, and the current one every `heartbeatInterval`. Silence therefore
 *    means that the actor is gone.
 * 2. The learned week is saved every `saveMs` and when the actor ends; a store that fails loses at most that much.
 */
import { Clock, Effect, PubSub, type Scope, Stream } from "effect"
import { privacyClasses } from "../../core/privacy/privacy-class.ts"
import type { LearnedWeek } from "../../core/semantics/learned-week.ts"
import { createSemanticWatch, type SemanticReading } from "../../core/semantics/semantic-watch.ts"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import type { NodeReading } from "../../protocols/messages/edge-node.ts"
import { LearnedWeeks } from "../../protocols/ports/learned-weeks.ts"
import { NodeRegistry } from "../../protocols/ports/node-identities.ts"
import { PrivacyClasses } from "../../protocols/ports/privacy-classes.ts"
import { runMachine, type RunningMachine } from "../runtime/machine.ts"
import { monotonicMs } from "../runtime/monotonic.ts"
import { edgeNodeMachine } from "./machine.ts"
import { type NodeFacts, presenceOf, recordOf } from "./record.ts"

/** Records that wait for one subscriber; the oldest are dropped. */
const bufferedMax = 16
const heartbeatInterval = "5 seconds"
/** Interval between saves of the learned week. */
const saveMs = 10 * 60_000
const saveTimeout = "2 seconds"

export interface EdgeNodeState {
  readonly nodeId: string
  /** The enrolled environment, until a reading names one. */
  readonly environmentId: string
  readonly machine: RunningMachine<typeof edgeNodeMachine>
  readonly weeks: LearnedWeeks["Service"]
  readonly classes: PrivacyClasses["Service"]
  readonly registry: NodeRegistry["Service"]
  readonly records: PubSub.PubSub<EdgeRecord>
  readonly watch: ReturnType<typeof createSemanticWatch>
  readonly scope: Scope.Scope
  readonly builtMs: number
  reading: NodeReading | null
  semantic: SemanticReading | null
  lastSeenMs: number | null
  /** Of the monotonic clock. */
  savedMs: number
  savedWeek: LearnedWeek | null
}

/** The registration of the node; `seen` while the store does not answer. */
const registrationOf = ({ nodeId, registry }: EdgeNodeState) =>
  registry.standingOf(nodeId).pipe(
    Effect.catch(({ message }) =>
      Effect.as(Effect.logDebug("registration of the node could not be read", { node: nodeId, cause: message }), {
        standing: "seen" as const,
        signed: null,
      })
    ),
  )

export const currentRecord = Effect.fnUntraced(function* (node: EdgeNodeState) {
  const registration = yield* registrationOf(node)
  const { builtMs, classes, environmentId, lastSeenMs, machine, nodeId, reading, semantic } = node
  const facts: NodeFacts = {
    nodeId,
    environmentId: reading?.environmentId ?? environmentId,
    privacyClass: classes.of(nodeId),
    online: machine.snapshot().matches("online"),
    lastSeenMs,
    ...registration,
  }
  return recordOf(facts, reading, semantic, lastSeenMs ?? builtMs)
})

const publish = (node: EdgeNodeState) =>
  Effect.flatMap(currentRecord(node), (record) => PubSub.publish(node.records, record))

/** Saves the learned week if it changed since the last save. */
const saveWeek = (node: EdgeNodeState): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { nodeId, savedWeek, watch, weeks } = node
    const week = watch.week()
    if (week === null || week === savedWeek) return Effect.void
    return weeks.save(nodeId, week).pipe(
      Effect.timeout(saveTimeout),
      Effect.andThen(Effect.sync(() => void (node.savedWeek = week))),
      Effect.catch(({ message }) =>
        Effect.logWarning("learned week could not be saved; it is retried later", { node: nodeId, cause: message })
      ),
    )
  })

/** Takes the newest readings of the node's router, in order, and publishes the record after them. */
export const report = Effect.fnUntraced(function* (node: EdgeNodeState, readings: ReadonlyArray<NodeReading>) {
  const withPatterns = node.classes.of(node.nodeId) === privacyClasses.restricted
  for (const reading of readings) {
    const { present } = presenceOf(reading)
    const level = { timestampMs: reading.timestampMs, present, motion: reading.motion }
    node.semantic = node.watch.step(reading.source, level, withPatterns)
    node.reading = reading
  }
  if (readings.length === 0) return
  const nowMs = yield* Clock.currentTimeMillis
  node.lastSeenMs = nowMs
  yield* node.machine.send({ type: "REPORTED" })
  yield* publish(node)
  const passedMs = yield* monotonicMs
  if (passedMs - node.savedMs < saveMs) return
  node.savedMs = passedMs
  yield* Effect.forkIn(saveWeek(node), node.scope)
})

/** The records of the node from now on, the current one first and at every heartbeat. */
export const subscribe = (node: EdgeNodeState): Stream.Stream<EdgeRecord> =>
  Stream.unwrap(Effect.gen(function* () {
    const later = yield* PubSub.subscribe(node.records)
    const heartbeats = Stream.mapEffect(Stream.tick(heartbeatInterval), () => currentRecord(node))
    return Stream.merge(Stream.fromSubscription(later), heartbeats)
  }))

/** Loads an enrolled node. */
export const openNode = Effect.fnUntraced(function* (nodeId: string, environmentId: string) {
  const weeks = yield* LearnedWeeks
  const scope = yield* Effect.scope
  const records = yield* Effect.acquireRelease(PubSub.sliding<EdgeRecord>(bufferedMax), PubSub.shutdown)
  const watch = createSemanticWatch(yield* weeks.load(nodeId))
  const builtMs = yield* Clock.currentTimeMillis
  const machine = yield* runMachine(edgeNodeMachine, {
    perform: (action) =>
      action.type === "publishSilence" ? Effect.asVoid(Effect.forkIn(publish(node), scope)) : Effect.void,
  })
  const node: EdgeNodeState = {
    nodeId,
    environmentId,
    machine,
    weeks,
    classes: yield* PrivacyClasses,
    registry: yield* NodeRegistry,
    records,
    watch,
    scope,
    builtMs,
    reading: null,
    semantic: null,
    lastSeenMs: null,
    savedMs: yield* monotonicMs,
    savedWeek: watch.week(),
  }
  yield* Effect.addFinalizer(() => saveWeek(node))
  return node
})
