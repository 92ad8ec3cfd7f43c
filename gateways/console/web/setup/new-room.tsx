/** Creates a room; its plan and its boards follow on its page. */
import { useSignal } from "@preact/signals"
import { authorised } from "../service/session.ts"
import { loadEnvironments } from "../state/rooms.ts"
import { roomIdOf } from "./room-id.ts"

export const NewRoom = () => {
  const fault = useSignal<string | null>(null)
  const create = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const name = String(new FormData(form).get("name")).trim()
    if (name === "") return
    try {
      const { environments } = await authorised<{
        readonly environments: ReadonlyArray<{ readonly environment_id: string }>
      }>("/environments")
      const environmentId = roomIdOf(name, new Set(environments.map(({ environment_id }) => environment_id)))
      // A room that is set up here is wanted now, whatever source the service was started with.
      const body = { environment_id: environmentId, name, activate: true }
      await authorised("/environments", { method: "POST", body })
      await loadEnvironments()
      form.reset()
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
