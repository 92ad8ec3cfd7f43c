/**
 * The Archive actor of one environment: keeps its frames. It lives on the same node as the environment, see
 * `protocols/messages/archive.ts`.
 */
import { Effect } from "effect"
import { Entity } from "effect/cluster"
import { StoreUnavailable } from "../../protocols/domain/failure.ts"
import { Archive } from "../../protocols/messages/archive.ts"
import { runMachine } from "../runtime/machine.ts"
import { entityOptions, supervise } from "../runtime/supervision.ts"
import { FrameStore } from "../store/frames.ts"
import { archiveMachine, recoveryMs } from "./machine.ts"

/** A store that takes longer has failed: the live stream waits for it. */
const appendTimeoutMs = 2_000

const build = Effect.gen(function* () {
  const { entityId: environmentId } = yield* Entity.CurrentAddress
  const store = yield* FrameStore
  const machine = yield* runMachine(archiveMachine)

  return Archive.of({
    Append: Effect.fnUntraced(function* ({ payload: frame }) {
      if (machine.snapshot().matches("failing")) {
        return yield* new StoreUnavailable({
          message: `The database failed; it is asked again within ${recoveryMs} ms.`,
        })
      }
      const stored = yield* store.append(environmentId, frame).pipe(
        Effect.timeoutOrElse({
          duration: appendTimeoutMs,
          orElse: () =>
            Effect.fail(
              new StoreUnavailable({ message: `The database did not store a frame in ${appendTimeoutMs} ms.` }),
            ),
        }),
        Effect.tapError(() => machine.send({ type: "FAILED" })),
      )
      yield* machine.send({ type: "WRITTEN" })
      return { stored }
    }),
    Newest: () => store.newest(environmentId),
  })
})

/** The Archive actors of this node. */
export const layerArchive = Archive.toLayer(supervise(Archive, build, { concurrent: ["Newest"] }), entityOptions)
