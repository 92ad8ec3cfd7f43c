/**
 * Handlers of the group System control.
 */
import { Effect } from "effect"
import {
  notAppliedOf,
  restartSystem,
  startRequestOf,
  startSystem,
  stopSystem,
  systemStatus,
} from "../../../protocols/pose-api/system.ts"
import { Session, sessionEntityId } from "../../../protocols/messages/session.ts"
import { changedBy } from "../../calls/changed-by.ts"
import { ask } from "../../../protocols/messages/call-actor.ts"
import { route } from "../server/route.ts"
import { SystemReporter } from "../telemetry/system-report.ts"

const session = Effect.map(Session.client, (client) => client(sessionEntityId))

export const systemRoutes = [
  route(systemStatus, () => Effect.flatMap(SystemReporter, ({ report }) => report)),

  route(startSystem, ({ body, caller }) =>
    Effect.gen(function* () {
      const request = { ...startRequestOf(body), by: changedBy(caller) }
      const started = yield* ask("The system session", (yield* session).Start(request))
      return { session: started, notApplied: notAppliedOf(body) }
    })),

  route(stopSystem, ({ body }) =>
    Effect.gen(function* () {
      const request = { force: body.force ?? false, saveState: body.save_state ?? true }
      const stopped = yield* ask("The system session", (yield* session).Stop(request))
      return stopped
    })),

  route(restartSystem, () =>
    Effect.gen(function* () {
      const restarted = yield* ask("The system session", (yield* session).Restart())
      return restarted
    })),
]
