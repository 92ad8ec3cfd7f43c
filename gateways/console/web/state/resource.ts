/** Something of the API that a component shows and changes: its value, the last failure, and requests after which it is read again. */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { authorisedTagged } from "../service/session.ts"

interface Resource<A> {
  /** Null: not read yet. */
  readonly value: A | null
  /** The entity tag of the value. */
  readonly etag: string | null
  readonly fault: string | null
  /** Makes a request, then reads the value again. Resolves to whether the request succeeded. */
  readonly change: (request: () => Promise<unknown>) => Promise<boolean>
}

export const useResource = <A>(path: string): Resource<A> => {
  const read = useSignal<{ readonly value: A; readonly etag: string | null } | null>(null)
  const fault = useSignal<string | null>(null)
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work()
      fault.value = null
      return true
    } catch (cause) {
      fault.value = (cause as Error).message
      return false
    }
  }
  const load = async (): Promise<void> => {
    read.value = await authorisedTagged<A>(path)
  }
  useEffect(() => void attempt(load), [path])
  return {
    value: read.value?.value ?? null,
    etag: read.value?.etag ?? null,
    fault: fault.value,
    change: (request) =>
      attempt(async () => {
        await request()
        await load()
      }),
  }
}
