/**
 * Admits each call by its metadata before its request is read, and bounds what requests can make this node hold.
 *
 * grpc-js calls the handler of a method with one request when it has the whole request. This interceptor runs before that. Boundary: what
 * admission is, is in `admission.ts`; handlers ask the gate whom it admitted.
 *
 * Invariants:
 * 1. A call of a method in `access.ts` is read from once it is admitted. A rejected one ends, and what its client sends is dropped.
 * 2. A request of an unknown caller has at most `strangerBytesMax`, one of an admitted caller as much as its method takes. How many of
 *    unknown callers are incomplete on this node is bounded (`stranger-bound.ts`).
 * 3. A call with one request ends if the request is not complete `requestMsMax` after the call was admitted, and a stream of an unknown
 *    caller if its next request is not complete that long after the last one.
 */
import * as grpc from "@grpc/grpc-js"
import { Deferred, Effect } from "effect"
import type { Caller } from "../../protocols/domain/identity.ts"
import { csiIngestService, messageBytesMax, processService } from "../../protocols/grpc/services.ts"
import { methodAccess } from "./access.ts"
import { type Admission, admit, type AdmittedCall, type Client, clientOf } from "./admission.ts"
import { type Run, serveCall } from "./calls.ts"
import { SlowRequest } from "./status.ts"
import { makeStrangerBound } from "./stranger-bound.ts"

/** Requests to public methods, health and reflection are far shorter. It is the server's bound, because grpc-js has one for all methods. */
export const strangerBytesMax = 16 * 1024
/** As the bodies of REST. */
const requestBytesMax = 1024 * 1024
/** As REST. */
const requestMsMax = 60_000

const ingestPaths: ReadonlySet<string> = new Set([csiIngestService.StreamCsi.path, processService.ProcessCsi.path])

/** An admitted call. */
interface Admitted {
  /** Null on a public method. */
  readonly caller: Caller | null
  readonly client: Client
}

export interface RequestGate {
  readonly interceptor: grpc.ServerInterceptor
  /** Whom the gate admitted with this call. */
  readonly admitted: (call: Pick<AdmittedCall, "metadata">) => Admitted
}

/** Private fields of a call of grpc-js 1.14: the bound of its messages, and the one of compressed messages after they are unpacked. */
interface BoundedCall {
  maxReceiveMessageSize: number
  readonly decoder: { maxReadMessageLength: number }
}

const allowBytes = (call: grpc.ServerInterceptingCallInterface, bytesMax: number): void => {
  const bounded = call as unknown as BoundedCall
  bounded.maxReceiveMessageSize = bytesMax
  bounded.decoder.maxReadMessageLength = bytesMax
}

export const makeRequestGate = (admission: Admission, run: Run): RequestGate => {
  // grpc-js gives the metadata that it passed here to the call of the handler.
  const admittedCalls = new WeakMap<grpc.Metadata, Admitted>()
  const strangers = makeStrangerBound(admission.trustedProxies)

  const pass = Effect.fnUntraced(
    function* (call: grpc.ServerInterceptingCallInterface, asked: AdmittedCall, path: string, client: Client) {
      const access = methodAccess[path]
      if (access === undefined) return null
      const caller = yield* admit(admission, asked, client, access)
      admittedCalls.set(asked.metadata, { caller, client })
      if (caller !== null) allowBytes(call, ingestPaths.has(path) ? messageBytesMax : requestBytesMax)
      return caller
    },
  )

  const interceptor: grpc.ServerInterceptor = ({ path, requestStream }, call) => {
    /** The next request of the call; whether it was the last one. */
    let next = Deferred.makeUnsafe<boolean>()
    const progress = (isLast: boolean): void => {
      const done = next
      next = Deferred.makeUnsafe()
      Deferred.doneUnsafe(done, Effect.succeed(isLast))
    }
    /** Ends with the last request, and fails if one is late. */
    const completed: Effect.Effect<void, SlowRequest> = Effect.suspend(() =>
      Effect.timeoutOrElse(Deferred.await(next), {
        duration: requestMsMax,
        orElse: () => Effect.fail(SlowRequest.after(requestMsMax)),
      })
    ).pipe(Effect.flatMap((isLast) => isLast ? Effect.void : completed))
    let cancel = () => {}
    const onReceiveMetadata = (metadata: grpc.Metadata, read: (metadata: grpc.Metadata) => void): void => {
      const asked: AdmittedCall = {
        metadata,
        getPeer: () => call.getPeer(),
        sendMetadata: (head) => call.sendMetadata(head),
      }
      const client = clientOf(admission, asked)
      const request = Effect.gen(function* () {
        const caller = yield* pass(call, asked, path, client)
        const reading = Effect.andThen(Effect.sync(() => read(metadata)), completed)
        if (caller === null) yield* strangers.counted(client.address(), reading)
        else if (requestStream) read(metadata)
        else yield* reading
      })
      const cancellable = { on: (_: "cancelled", listener: () => void) => void (cancel = listener) }
      serveCall(run, cancellable, client.requestId, request, (result) => {
        if ("status" in result) call.sendStatus(result.status)
      })
    }
    return new grpc.ServerInterceptingCall(call, {
      start: (listen) =>
        listen({
          onReceiveMetadata,
          onReceiveMessage: (message, pass) => {
            if (requestStream) progress(false)
            pass(message)
          },
          onReceiveHalfClose: (pass) => {
            progress(true)
            pass()
          },
          onCancel: () => cancel(),
        }),
    })
  }

  return { interceptor, admitted: ({ metadata }) => admittedCalls.get(metadata)! }
}
