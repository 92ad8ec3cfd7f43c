/** Removes a room, after a question. */
import { useSignal } from "@preact/signals"
import { authorised } from "../service/session.ts"
import type { EnvironmentSummary } from "../service/types.ts"
import { page } from "../shell/navigation.ts"
import { loadEnvironments } from "../state/rooms.ts"
import { useAttempt } from "../state/use-attempt.ts"

/** The service deletes a history within this time, or does the rest of it at another removal. */
const removalMsMax = 600_000

const question = ({ name, origin }: EnvironmentSummary, isHistoryDropped: boolean): string =>
  [
    `Remove ${name} with its plan, boards and calibrations?`,
    isHistoryDropped ? "Everything that was stored of it is deleted." : "Its history is kept.",
    origin.name === null ? "" : `A start of the service with ${origin.name} adds it again.`,
  ].join(" ").trim()

export const RemoveRoom = ({ environment }: { readonly environment: EnvironmentSummary }) => {
  const isHistoryDropped = useSignal(false)
  const { fault, isBusy, run } = useAttempt()
  const remove = async (): Promise<void> => {
    if (!confirm(question(environment, isHistoryDropped.value))) return
    const history = isHistoryDropped.value ? "drop" : "keep"
    const path = `/environments/${encodeURIComponent(environment.environment_id)}?history=${history}`
    try {
      await authorised(path, { method: "DELETE", limitMs: removalMsMax })
    } catch (cause) {
      // The room itself may be removed already.
      void loadEnvironments()
      const rest = `What is left of it goes with: npx wavepose site remove ${environment.environment_id} --drop-history`
      const { message } = cause as Error
      throw new Error(history === "drop" ? `${message} ${rest}` : message, { cause })
    }
    await loadEnvironments()
    if (page.value.id === "setup" && page.value.query.get("room") === environment.environment_id) {
      location.hash = "#/setup"
    }
  }
  return (
    <section class="panel" aria-labelledby="removal-of-room">
      <h2 id="removal-of-room">Removal</h2>
      {fault !== null && <p class="fault" role="alert">{fault}</p>}
      <p class="actions">
        <button type="button" class="quiet" disabled={isBusy} onClick={() => void run(remove)}>Remove this room</button>
        <label>
          <input
            type="checkbox"
            checked={isHistoryDropped.value}
            onChange={({ currentTarget }) => isHistoryDropped.value = currentTarget.checked}
          />
          {" and delete its history"}
        </label>
      </p>
    </section>
  )
}
