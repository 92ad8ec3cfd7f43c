/**
 * The HomeBus actor: collects the entries that entities offer and commits them in batches, in one order for the cluster.
 *
 * Boundary: `commit-queue.ts` makes the batches, `commit-log.ts` commits and publishes them, `store/home/home-states.ts` stores.
 */
import { Effect } from "effect"
import { HomeBus } from "../../../protocols/messages/home-bus.ts"
import { entityOptions, supervise } from "../../runtime/supervision.ts"
import { makeCommitLog } from "./commit-log.ts"
import { makeCommitQueue } from "./commit-queue.ts"
import { LocalHomeBus } from "./local-bus.ts"

const heartbeatInterval = "2 seconds"

const build = Effect.gen(function* () {
  const log = yield* makeCommitLog
  yield* log.heartbeat.pipe(Effect.andThen(Effect.sleep(heartbeatInterval)), Effect.forever, Effect.forkScoped)
  const publish = yield* makeCommitQueue((batch) => log.commit(batch))
  yield* (yield* LocalHomeBus).register(publish)
  return HomeBus.of({
    Publish: ({ payload }) => publish(payload),
    Last: ({ payload: { entityId } }) => Effect.map(log.opened, (states) => states.last(entityId)),
    Position: () => Effect.map(log.opened, (states) => states.sequence()),
    WatchBus: ({ payload: { after } }) => log.watch(after),
  })
})

/** The HomeBus actor, on the node that owns its shard. */
export const layerHomeBus = HomeBus.toLayer(
  supervise(HomeBus, build, { concurrent: ["Publish", "Last", "Position"] }),
  entityOptions,
)
