/**
 * Removes the reference to an inactive environment from the system session, which otherwise could not start again.
 *
 * A running session restarts for all environments. A session that an operator stopped stays stopped.
 */
import { Effect, Schedule } from "effect"
import { ActorUnavailable } from "../../protocols/domain/failure.ts"
import type { ChangedBy, SystemStatusValue } from "../../protocols/domain/system.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"

const transitional: ReadonlyArray<SystemStatusValue> = ["starting", "stopping", "restarting"]
const statusPoll = Schedule.spaced("100 millis")
const timeout = "20 seconds"

/** @param isGone whether an environment is no longer active */
export const leaveEnvironments = Effect.fnUntraced(
  function* (isGone: (environmentId: string) => boolean, by: ChangedBy) {
    const session = (yield* Session.client)(sessionEntityId)
    const settled = session.Status().pipe(
      Effect.repeat({ until: ({ status }) => !transitional.includes(status), schedule: statusPoll }),
    )
    const names = ({ environmentId }: { readonly environmentId: string | null }) =>
      environmentId !== null && isGone(environmentId)
    const { options, status } = yield* settled
    if (status === "running" && names(options)) {
      yield* session.Stop({ force: true, saveState: true })
      yield* settled
      yield* session.Start({ environmentId: null, by })
      return
    }
    const { configuration } = yield* session.Configuration()
    if (names(configuration)) yield* session.Configure({ changes: { environmentId: null }, by, ifRevision: null })
  },
  (leaving) =>
    leaving.pipe(
      // Another node has made the same change.
      Effect.catchTag("SystemConflict", () => Effect.void),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.fail(new ActorUnavailable({ actor: "The system session", message: `No answer within ${timeout}.` })),
      }),
    ),
)
