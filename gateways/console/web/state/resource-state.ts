/** The value of something of the API with its entity tag, the last failure, and the order of requests and reads. */
import { type Signal, signal } from "@preact/signals"
import { RequestFailed } from "../service/request-failed.ts"

interface Read<A> {
  readonly value: A
  readonly etag: string | null
}

interface ResourceState<A> {
  /** Null: not read yet. */
  readonly read: Signal<Read<A> | null>
  readonly fault: Signal<string | null>
  readonly load: () => Promise<void>
  /** Makes a request, then reads the value again. Resolves to whether the request succeeded, whatever the read after it does. */
  readonly change: (request: () => Promise<unknown>) => Promise<boolean>
}

const changedMeanwhile =
  "Somebody else has changed this meanwhile. The values shown are new, and yours are kept: save again."

export const makeResource = <A>(readIt: () => Promise<Read<A>>): ResourceState<A> => {
  const read = signal<Read<A> | null>(null)
  const fault = signal<string | null>(null)
  /** @param text the fault that is shown when the read has succeeded */
  const load = async (text: string | null = null): Promise<void> => {
    try {
      read.value = await readIt()
      fault.value = text
    } catch (cause) {
      fault.value = (cause as Error).message
    }
  }
  const change = async (request: () => Promise<unknown>): Promise<boolean> => {
    try {
      await request()
    } catch (cause) {
      if (cause instanceof RequestFailed && cause.status === 412) await load(changedMeanwhile)
      else fault.value = (cause as Error).message
      return false
    }
    await load()
    return true
  }
  return { read, fault, load: () => load(), change }
}
