/** Creates a room; its plan and its boards follow on its page. */
import { useSignal } from "@preact/signals"
import { authorised } from "../service/session.ts"
import { loadEnvironments } from "../state/rooms.ts"

/** An id for a name: `Living room` becomes `living-room`. */
const idOf = (name: string): string =>
  name.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 64) || "room"

export const NewRoom = () => {
  const fault = useSignal<string | null>(null)
  const create = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name")).trim()
    if (name === "") return
    const environmentId = idOf(name)
    try {
      // A room that is set up here is wanted now, whatever source the service was started with.
      const body = { environment_id: environmentId, name, activate: true }
      await authorised("/environments", { method: "POST", body })
      await loadEnvironments()
      location.hash = `#/setup?room=${encodeURIComponent(environmentId)}`
    } catch (cause) {
      fault.value = (cause as Error).message
    }
  }
  return (
    <form class="inline" onSubmit={(event) => void create(event)}>
      <input name="name" aria-label="Name of the new room" placeholder="Living room" maxLength={128} required />
      <button type="submit">New room</button>
      {fault.value !== null && <p class="fault" role="alert">{fault.value}</p>}
    </form>
  )
}
