/**
 * Admits each call by its metadata before its request is read, and bounds what requests can make this node hold.
 *
 * grpc-js calls the handler of a method with one request when it has the whole request. This interceptor runs before that. Boundary: what
 * admission is, is in `admission.ts`; handlers ask the gate whom it admitted.
 *
 * Invariants:
 * 1. A call of a method in `access.ts` is read from once it is admitted. A rejected one ends, and what its client sends is dropped.
 * 2. A request of an unknown caller has at most `strangerBytesMax`, one of an admitted caller as much as its method takes.
 * 3. A call with one request ends if the request is not complete `requestMsMax` after the call was admitted.
 */
import * as grpc from "@grpc/grpc-js"
import { Deferred, Effect } from "effect"
import type { Caller } from "../../protocols/domain/identity.ts"
import { csiIngestService, messageBytesMax, processService } from "../../protocols/grpc/services.ts"
import { methodAccess } from "./access.ts"
import { type Admission, admit, type AdmittedCall, type Client, clientOf } from "./admission.ts"
import { type Run, serveCall } from "./calls.ts"
import { SlowRequest } from "./status.ts"

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

  const pass = Effect.fnUntraced(
    function* (call: grpc.ServerInterceptingCallInterface, asked: AdmittedCall, path: string, client: Client) {
      const access = methodAccess[path]
      if (access === undefined) return
      const caller = yield* admit(admission, asked, client, access)
      admittedCalls.set(asked.metadata, { caller, client })
      if (caller !== null) allowBytes(call, ingestPaths.has(path) ? messageBytesMax : requestBytesMax)
    },
  )

  const interceptor: grpc.ServerInterceptor = ({ path, requestStream }, call) => {
    const complete = Deferred.makeUnsafe<void>()
    let cancel = () => {}
    const onReceiveMetadata = (metadata: grpc.Metadata, read: (metadata: grpc.Metadata) => void): void => {
      const asked: AdmittedCall = {
        metadata,
        getPeer: () => call.getPeer(),
        sendMetadata: (head) => call.sendMetadata(head),
      }
      const client = clientOf(admission, asked)
      const request = Effect.gen(function* () {
        yield* pass(call, asked, path, client)
        read(metadata)
        if (requestStream) return
        yield* Effect.timeoutOrElse(Deferred.await(complete), {
          duration: requestMsMax,
          orElse: () => Effect.fail(SlowRequest.after(requestMsMax)),
        })
      })
      const cancellable = { on: (_: "cancelled", listener: () => void) => void (cancel = listener) }
      serveCall(run, cancellable, client.requestId, request, (result) => {
        if ("status" in result) call.sendStatus(result.status)
      })
    }
    return new grpc.ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata,
          onReceiveHalfClose: (pass) => {
            Deferred.doneUnsafe(complete, Effect.void)
            pass()
          },
          onCancel: () => cancel(),
        }),
    })
  }

  return { interceptor, admitted: ({ metadata }) => admittedCalls.get(metadata)! }
}
