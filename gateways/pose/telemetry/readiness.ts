/**
 * Checks whether a node can serve: it is not about to stop, the database answers, the data disk has space, and the system session is reachable.
 *
 * Invariants: a check takes at most `answerLimit`; results are cached for `checkedFor`, so that probes do not load the store. A stop is
 * reported at once.
 */
import { Effect } from "effect"
import { statfs } from "node:fs/promises"
import { Session, sessionEntityId } from "../../../protocols/messages/session.ts"
import { DatabaseHealth } from "../../../protocols/ports/database-health.ts"
import { Stopping } from "../../../protocols/ports/stopping.ts"

/** How long the database and the system session have to answer. */
const answerLimit = "1 second"
const checkedFor = "1 second"

/** The disk of the embedded database. */
export interface DataDisk {
  /** A path on the disk. */
  readonly path: string
  /** The disk counts as full below this. */
  readonly freeBytesMin: number
}

/** The embedded database writes its log in files of 16 MiB. This is space for four of them. */
export const defaultFreeBytesMin = 64 * 1024 * 1024

/** A check: null if it passes, else the reason, as a sentence. */
type Check = Effect.Effect<string | null>

const within = (reason: string, check: Effect.Effect<unknown, unknown>): Check =>
  check.pipe(
    Effect.timeout(answerLimit),
    Effect.as(null),
    Effect.catchCause((cause) => Effect.as(Effect.logDebug("a readiness check failed", cause), reason)),
  )

/** The reason why nothing can be stored on the data disk. */
export const checkDisk = ({ path, freeBytesMin }: DataDisk): Check =>
  Effect.tryPromise(() => statfs(path)).pipe(
    Effect.map(({ bavail, bsize }) => {
      const freeMiB = Math.floor(bavail * bsize / 1024 / 1024)
      return bavail * bsize >= freeBytesMin ? null : `The data disk is full: ${freeMiB} MiB are free. Free some space.`
    }),
    // A file system that cannot be measured is not known to be full.
    Effect.orElseSucceed(() => null),
  )

/** The reasons why this node is not ready; empty when it is. `dataDisk` null: the node stores nothing on its own disk. */
export const makeReadiness = Effect.fnUntraced(function* (dataDisk: DataDisk | null) {
  const database = yield* DatabaseHealth
  const session = yield* Session.client
  const stopping = yield* Stopping
  const checks: ReadonlyArray<Check> = [
    within("The database does not answer.", database.check),
    within("The system session cannot be reached.", session(sessionEntityId).Status()),
    ...(dataDisk === null ? [] : [checkDisk(dataDisk)]),
  ]
  const checked = yield* Effect.all(checks, { concurrency: "unbounded" }).pipe(
    Effect.map((answers) => answers.filter((reason) => reason !== null)),
    Effect.cachedWithTTL(checkedFor),
  )
  return Effect.suspend(() => stopping.current ? Effect.succeed(["The node is stopping."]) : checked)
})
