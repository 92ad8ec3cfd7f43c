/**
 * Streams over connections that fail: another attempt follows each failure that it can repair. Waiting times between attempts double up to
 * `retryMsMax`, start again with each message, and are never shorter than the service asked for (`retryAfterS`).
 */
import { WaveposeError } from "./error.ts"

export interface RetryOptions {
  readonly signal?: AbortSignal
  /** First and longest waiting time between attempts, in ms; default 250 and 15 000. */
  readonly retryMs?: number
  readonly retryMsMax?: number
  /** Called when a connection ends, with the reason. */
  readonly onDisconnect?: (error: WaveposeError) => void
}

/** A connection that the service closes for its credentials has the code 4401. */
const isUnauthenticated = ({ status }: WaveposeError): boolean => status === 401 || status === 4401

/** Errors after which another attempt is useless. */
const isFinal = ({ status }: WaveposeError): boolean =>
  status === 4403 || (status >= 400 && status < 500 && status !== 429)

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener("abort", done)
  })

/**
 * The messages of one attempt after the other. Ends when `signal` is aborted, and throws a `WaveposeError` if the service rejects the
 * credentials or the request. Rejected credentials lead to another attempt if `reject` says that it can have others, and once until the next
 * message.
 */
export async function* reconnecting<Message>(
  attempt: () => AsyncGenerator<Message>,
  reject: () => boolean,
  { onDisconnect, retryMs = 250, retryMsMax = 15_000, signal }: RetryOptions,
): AsyncGenerator<Message, void> {
  const isAborted = () => signal?.aborted === true
  let waitMs = retryMs
  let isRenewed = false
  while (!isAborted()) {
    let failure = new WaveposeError("The connection ended.", { status: 0, code: "NO_ANSWER" })
    try {
      for await (const message of attempt()) {
        waitMs = retryMs
        isRenewed = false
        if (isAborted()) return
        yield message
      }
    } catch (error) {
      if (!(error instanceof WaveposeError)) throw error
      if (isUnauthenticated(error)) {
        if (isRenewed || !reject()) throw error
        isRenewed = true
      } else if (isFinal(error)) throw error
      failure = error
    }
    if (isAborted()) return
    onDisconnect?.(failure)
    const askedMs = (failure.retryAfterS ?? 0) * 1000
    await pause(Math.max(waitMs / 2 + Math.random() * waitMs / 2, askedMs), signal)
    waitMs = Math.min(waitMs * 2, retryMsMax)
  }
}
