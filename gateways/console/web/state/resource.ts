/** Something of the API that a component shows and changes: its value, the last failure, and requests after which it is read again. */
import { useEffect, useMemo, useRef } from "preact/hooks"
import { authorisedTagged } from "../service/session.ts"
import { makeResource } from "./resource-state.ts"

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
  const current = useRef(path)
  current.current = path
  const { change, fault, load, read } = useMemo(() => makeResource(() => authorisedTagged<A>(current.current)), [])
  useEffect(() => void load(), [path])
  return { value: read.value?.value ?? null, etag: read.value?.etag ?? null, fault: fault.value, change }
}
