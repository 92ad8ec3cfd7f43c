/** The part of the stored session that an environment continues when it is opened. Pure. */
import type { SystemSession } from "../../protocols/domain/system.ts"

/** The session that an environment belongs to when it is opened; null when the system does not run in it. */
export const restoredSession = (session: SystemSession | null, environmentId: string) => {
  if (session === null || session.sessionId === null) return null
  const { options, sessionId, startedAtMs, status } = session
  if (status !== "running" && status !== "starting" && status !== "restarting") return null
  if (options.environmentId !== null && options.environmentId !== environmentId) return null
  return { options, sessionId, startedAtMs }
}
