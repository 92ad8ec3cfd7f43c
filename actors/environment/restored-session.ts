/** What an environment that begins to live takes from the session that is stored. Pure. */
import type { SystemSession } from "../../protocols/domain/system.ts"

/** The session that an environment takes part in from its start; null when the system does not run there. */
export const restoredSession = (session: SystemSession | null, environmentId: string) => {
  if (session === null || session.sessionId === null) return null
  const { options, sessionId, startedAtMs, status } = session
  if (status !== "running" && status !== "starting" && status !== "restarting") return null
  if (options.environmentId !== null && options.environmentId !== environmentId) return null
  return { options, sessionId, startedAtMs }
}
