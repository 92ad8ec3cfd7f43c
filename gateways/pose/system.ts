/**
 * Handlers of the group System control.
 */
import { Effect } from "effect"
import { restartSystem, startOptionsOf, startSystem, stopSystem, systemStatus } from "../../protocols/http/system.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"
import { ask } from "../middleware/ask.ts"
import { CurrentEnvironment } from "./current-environment.ts"
import { route } from "./route.ts"
import { SystemReporter } from "./system-report.ts"

const session = Effect.map(Session.client, (client) => client(sessionEntityId))
const forgetEnvironment = Effect.flatMap(CurrentEnvironment, ({ forget }) => forget)

export const systemRoutes = [
  route(systemStatus, () => Effect.flatMap(SystemReporter, ({ report }) => report)),

  route(startSystem, ({ body }) =>
    Effect.gen(function* () {
      const started = yield* ask("The system session", (yield* session).Start(startOptionsOf(body)))
      yield* forgetEnvironment
      return started
    })),

  route(stopSystem, ({ body }) =>
    Effect.gen(function* () {
      const request = { force: body.force ?? false, saveState: body.save_state ?? true }
      const stopped = yield* ask("The system session", (yield* session).Stop(request))
      yield* forgetEnvironment
      return stopped
    })),

  route(restartSystem, () =>
    Effect.gen(function* () {
      const restarted = yield* ask("The system session", (yield* session).Restart())
      yield* forgetEnvironment
      return restarted
    })),
]
