/**
 * The clients of all services: one function per method, made from the generated contract.
 */
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  credentials as channelCredentials,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js"
import protobuf from "protobufjs/light.js"
import { type Credentials, identitiesOf, type Identity, type IdentitySource } from "./credentials.ts"
import { WaveposeError } from "./error.ts"
import { errorOf } from "./grpc-status.ts"
import contract from "./generated/grpc.json" with { type: "json" }
import type { Method, Services } from "./generated/grpc.ts"

export interface GrpcOptions extends Credentials {
  /** Host and port of the service, e.g. `127.0.0.1:50051`. */
  readonly address: string
  /** Default: plain text. `credentials.createSsl(...)` of grpc-js is TLS. */
  readonly channel?: ChannelCredentials
  /** Time limit of a call with one answer, in ms; default 30 000. */
  readonly timeoutMs?: number
}

/** A message as it is sent: what is left out has its default. */
type Input<Message> = Message extends Uint8Array ? Message
  : Message extends ReadonlyArray<infer Item> ? ReadonlyArray<Input<Item>>
  : Message extends object ? { readonly [Key in keyof Message]?: Input<Message[Key]> | null }
  : Message

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Id of the request, for searches in the log of the service. */
  readonly requestId?: string
}

type Call<M> = M extends Method<infer Kind, infer Request, infer Response>
  ? Kind extends "unary" ? (request?: Input<Request>, options?: CallOptions) => Promise<Response>
  : Kind extends "stream" ? (
      request?: Input<Request>,
      options?: CallOptions,
    ) => AsyncGenerator<Response, void>
  : (
    requests: AsyncIterable<Input<Request>>,
    options?: CallOptions,
  ) => AsyncGenerator<Response, void>
  : never

/** The services. Functions reject with a `WaveposeError`, whose `code` is that of REST. */
export type GrpcClient =
  & {
    readonly [Name in keyof Services]: {
      readonly [M in keyof Services[Name]]: Call<Services[Name][M]>
    }
  }
  & { readonly options: GrpcOptions; readonly close: () => void }

const root = protobuf.Root.fromJSON(contract as protobuf.INamespace)
const timeoutMsDefault = 30_000
/** Bytes of a message, as the service's limit. */
const messageBytesMax = 16 * 1024 * 1024
const shown = {
  defaults: true,
  longs: Number,
  enums: String,
  arrays: true,
  objects: true,
}

const metadataOf = ({ apiKey, token }: Identity, { requestId }: CallOptions): Metadata => {
  const metadata = new Metadata()
  if (apiKey !== undefined) metadata.set("x-api-key", apiKey)
  else if (token !== undefined) metadata.set("authorization", `Bearer ${token}`)
  if (requestId !== undefined) metadata.set("x-request-id", requestId)
  return metadata
}

/** Cancels a call when the signal is aborted. Returns the function that stops watching it. */
const cancelWith = (
  call: { readonly cancel: () => void },
  signal: AbortSignal | undefined,
): () => void => {
  const cancel = () => call.cancel()
  signal?.addEventListener("abort", cancel)
  if (signal?.aborted === true) cancel()
  return () => signal?.removeEventListener("abort", cancel)
}

/** The messages of a call; leaving the loop ends it. The call is read no faster than the loop runs. */
async function* answersOf(
  call: ClientReadableStream<unknown>,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void> {
  const stop = cancelWith(call, signal)
  try {
    for await (const message of call) {
      // One that had arrived before.
      if (signal?.aborted === true) return
      yield message
    }
  } catch (error) {
    if (signal?.aborted !== true) throw errorOf(error as ServiceError)
  } finally {
    stop()
    call.cancel()
  }
}

/** Sends messages no faster than the service reads them. A failure of the caller's iterator cancels the call. */
const sendAll = async (call: ClientDuplexStream<unknown, unknown>, messages: AsyncIterable<unknown>): Promise<void> => {
  try {
    for await (const message of messages) {
      if (call.destroyed) return
      if (call.write(message)) continue
      await new Promise<void>((resolve) => {
        call.once("drain", resolve)
        call.once("close", resolve)
      })
    }
    call.end()
  } catch {
    call.cancel()
  }
}

/** A connection, and what its calls authenticate with. */
interface Caller {
  readonly client: Client
  readonly identities: IdentitySource
  readonly timeoutMs: number
}

/** The function of a method. */
const functionOf = ({ client, identities, timeoutMs }: Caller, service: string, method: protobuf.Method) => {
  method.resolve()
  const { resolvedRequestType: request, resolvedResponseType: response } = method
  const path = `/wavepose.v1.${service}/${method.name}`
  const write = (message: unknown): Buffer =>
    Buffer.from(request!.encode(request!.fromObject(message as Record<string, unknown>)).finish())
  const read = (bytes: Buffer): unknown => response!.toObject(response!.decode(bytes), shown)

  if (method.requestStream) {
    return async function* (messages: AsyncIterable<unknown>, given: CallOptions = {}) {
      const call = client.makeBidiStreamRequest(path, write, read, metadataOf(await identities.next(), given))
      void sendAll(call, messages)
      yield* answersOf(call, given.signal)
    }
  }
  if (method.responseStream) {
    return async function* (message: unknown = {}, given: CallOptions = {}) {
      const metadata = metadataOf(await identities.next(), given)
      yield* answersOf(client.makeServerStreamRequest(path, write, read, message, metadata), given.signal)
    }
  }
  const ask = (message: unknown, given: CallOptions, identity: Identity): Promise<unknown> => {
    const metadata = metadataOf(identity, given)
    const deadline = Date.now() + timeoutMs
    return new Promise((resolve, reject) => {
      const call = client.makeUnaryRequest(path, write, read, message, metadata, { deadline }, (error, answer) => {
        stop()
        if (error === null) resolve(answer)
        else reject(errorOf(error))
      })
      const stop = cancelWith(call, given.signal)
    })
  }
  return async (message: unknown = {}, given: CallOptions = {}): Promise<unknown> => {
    const identity = await identities.next()
    try {
      return await ask(message, given, identity)
    } catch (error) {
      if (!(error instanceof WaveposeError && error.status === 401 && identities.reject(identity))) throw error
      return ask(message, given, await identities.next())
    }
  }
}

/** On Deno 2.9, grpc-js may repeat a call on a connection that has just ended without a bound, and the process hangs. Without this it fails. */
const runtimeOptions = "Deno" in globalThis ? { "grpc.enable_retries": 0 } : {}

/** A client of all services over one connection, which opens with the first call. */
export const createGrpcClient = (options: GrpcOptions): GrpcClient => grpcClientOf(options, identitiesOf(options))

/** A client whose calls authenticate with these. */
export const grpcClientOf = (options: GrpcOptions, identities: IdentitySource): GrpcClient => {
  const client = new Client(options.address, options.channel ?? channelCredentials.createInsecure(), {
    "grpc.max_receive_message_length": messageBytesMax,
    ...runtimeOptions,
  })
  const caller: Caller = { client, identities, timeoutMs: options.timeoutMs ?? timeoutMsDefault }
  const services = root.lookup("wavepose.v1") as protobuf.Namespace
  const made = services.nestedArray.filter((object) => object instanceof protobuf.Service).map((service) => [
    service.name,
    Object.fromEntries(
      service.methodsArray.map((method) => [method.name, functionOf(caller, service.name, method)]),
    ),
  ])
  // The types are generated from the same contract.
  return { ...Object.fromEntries(made), options, close: () => client.close() } as GrpcClient
}
