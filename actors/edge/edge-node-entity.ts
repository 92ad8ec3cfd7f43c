/**
 * The EdgeNode actor of one node: keeps what the node says, what that means, and what the registry knows of it.
 *
 * Boundary: its router reports to it (`router/edge-report.ts`); a record is made in `record.ts`, what presence means in
 * `core/semantics`. Whoever asks may be told anything: the privacy gate is at the gateways, behind `EdgeFeed`.
 *
 * Invariants:
 * 1. A subscriber gets what the node says now, then every later record or a newer one, and the same one again when there is nothing
 *    new for `heartbeat`, so that silence means that the actor is gone.
 * 2. What was learned of the site's week is kept every `saveMs` and when the actor ends; a store that fails loses that much at most.
 */
import { Clock, Effect, PubSub, Semaphore, Stream } from "effect"
import { Entity } from "effect/cluster"
import { privacyClasses } from "../../core/privacy/privacy-class.ts"
import { createSemanticWatch, type SemanticReading } from "../../core/semantics/semantic-watch.ts"
import { UnknownRouter } from "../../protocols/domain/failure.ts"
import type { EdgeRecord } from "../../protocols/domain/sensing.ts"
import { Directory } from "../../protocols/ports/directory.ts"
import { EdgeNode, type NodeReading } from "../../protocols/messages/edge-node.ts"
import { LearnedWeeks } from "../../protocols/ports/learned-weeks.ts"
import { NodeRegistry } from "../../protocols/ports/node-identities.ts"
import { PrivacyClasses } from "../../protocols/ports/privacy-classes.ts"
import { runMachine } from "../runtime/machine.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { edgeNodeMachine } from "./machine.ts"
import { type NodeFacts, presenceOf, recordOf } from "./record.ts"

/** Records that wait for one subscriber; the oldest give way. */
const bufferedMax = 16
const heartbeat = "5 seconds"
/** How often what was learned is kept. */
const saveMs = 10 * 60_000
const saveTimeout = "2 seconds"

/** How far the node is trusted; `seen` while the store does not answer. */
const identityOf = (identities: NodeRegistry["Service"], nodeId: string) =>
  identities.standingOf(nodeId).pipe(
    Effect.catch((error) =>
      Effect.as(Effect.logDebug(`the standing of node ${nodeId} is not known`, error.message), {
        standing: "seen" as const,
        signed: null,
      })
    ),
  )

/** A known node at work. */
const open = Effect.fnUntraced(function* (nodeId: string, environmentId: string) {
  const weeks = yield* LearnedWeeks
  const classes = yield* PrivacyClasses
  const identities = yield* NodeRegistry
  const scope = yield* Effect.scope
  const records = yield* Effect.acquireRelease(PubSub.sliding<EdgeRecord>(bufferedMax), PubSub.shutdown)
  const watch = createSemanticWatch(yield* weeks.load(nodeId))
  const builtMs = yield* Clock.currentTimeMillis
  let reading: NodeReading | null = null
  let semantic: SemanticReading | null = null
  let lastSeenMs: number | null = null
  let savedMs = builtMs
  let kept = watch.week()

  const current = Effect.gen(function* () {
    const identity = yield* identityOf(identities, nodeId)
    const facts: NodeFacts = {
      nodeId,
      environmentId: reading?.environmentId ?? environmentId,
      privacyClass: classes.of(nodeId),
      online: machine.snapshot().matches("online"),
      lastSeenMs,
      ...identity,
    }
    return recordOf(facts, reading, semantic, lastSeenMs ?? builtMs)
  })
  const publish = Effect.flatMap(current, (record) => PubSub.publish(records, record))

  const machine = yield* runMachine(edgeNodeMachine, {
    perform: (action) => action.type === "tellSilence" ? Effect.asVoid(Effect.forkIn(publish, scope)) : Effect.void,
  })

  const save = Effect.suspend(() => {
    const week = watch.week()
    if (week === null || week === kept) return Effect.void
    return weeks.save(nodeId, week).pipe(
      Effect.timeout(saveTimeout),
      Effect.andThen(Effect.sync(() => kept = week)),
      Effect.catch((error) => Effect.logWarning(`the learned week of node ${nodeId} is not kept yet`, error.message)),
    )
  })
  yield* Effect.addFinalizer(() => save)

  const report = Effect.fnUntraced(function* (readings: ReadonlyArray<NodeReading>) {
    const mayTellPatterns = classes.of(nodeId) === privacyClasses.restricted
    for (const one of readings) {
      const { present } = presenceOf(one)
      const level = { timestampMs: one.timestampMs, present, motion: one.motion }
      semantic = watch.step(one.source, level, mayTellPatterns)
      reading = one
    }
    if (readings.length === 0) return
    lastSeenMs = yield* Clock.currentTimeMillis
    yield* machine.send({ type: "REPORTED" })
    yield* publish
    if (lastSeenMs - savedMs < saveMs) return
    savedMs = lastSeenMs
    yield* Effect.forkIn(save, scope)
  })

  const subscribe: Stream.Stream<EdgeRecord> = Stream.unwrap(Effect.gen(function* () {
    const later = yield* PubSub.subscribe(records)
    const again = Stream.mapEffect(Stream.tick(heartbeat), () => current)
    return Stream.merge(Stream.fromSubscription(later), again)
  }))

  return { report, current, subscribe }
})

const build = Effect.gen(function* () {
  const { entityId: nodeId } = yield* Entity.CurrentAddress
  const directory = yield* Directory
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof open>>>()
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  let opened: Effect.Success<ReturnType<typeof open>> | undefined

  /** Opens on first use; an id that nobody enrolled stays unknown without breaking anything. */
  const node = oneAtATime(Effect.gen(function* () {
    if (opened !== undefined) return opened
    const environmentId = yield* directory.environmentOf(nodeId)
    if (environmentId === null) return yield* UnknownRouter.of(nodeId)
    return opened = yield* Effect.provide(open(nodeId, environmentId), context)
  }))

  return EdgeNode.of({
    Report: ({ payload }) => Effect.flatMap(node, ({ report }) => report(payload.readings)),
    Latest: () => Effect.flatMap(node, ({ current }) => current),
    Subscribe: () => Stream.unwrap(Effect.map(node, ({ subscribe }) => subscribe)),
    Registry: () => Effect.flatMap(node, ({ current }) => Effect.map(current, ({ entry }) => entry)),
  })
})

/** The EdgeNode actors of this node. */
export const layerEdgeNode = EdgeNode.toLayer(supervise(EdgeNode, build), entityOptions)
