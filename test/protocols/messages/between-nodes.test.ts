/** Every message of an actor can be encoded for another node: a schema without a binary layout would hang its first remote call. */
import { Cause, Effect, Exit, Schema } from "effect"
import type { Rpc } from "effect/rpc"
import { RpcSchema, RpcSerialization } from "effect/rpc"
import { describe, expect, it } from "vitest"
import { Archive } from "../../../protocols/messages/archive.ts"
import { EdgeNode, EdgeSite } from "../../../protocols/messages/edge-node.ts"
import { Environment } from "../../../protocols/messages/environment.ts"
import { HomeBus } from "../../../protocols/messages/home-bus.ts"
import { HomeEntity } from "../../../protocols/messages/home-entity.ts"
import { HomeHost } from "../../../protocols/messages/home-host.ts"
import { Router } from "../../../protocols/messages/router.ts"
import { Session } from "../../../protocols/messages/session.ts"
import { Site } from "../../../protocols/messages/site.ts"

const actors = [Archive, EdgeNode, EdgeSite, Environment, HomeBus, HomeEntity, HomeHost, Router, Session, Site]
const messages = actors.flatMap((actor) =>
  [...actor.protocol.requests].map(([name, rpc]) =>
    [`${actor.type}.${name}`, rpc as unknown as Rpc.AnyWithProps] as const
  )
)

const parts = (schema: Schema.Top): ReadonlyArray<Schema.Top> =>
  RpcSchema.isStreamSchema(schema) ? [schema.success, schema.error] : [schema]

describe("between nodes", () => {
  it.each(messages)(
    "%s has a binary layout",
    (_, { payloadSchema, successSchema, errorSchema }) =>
      Effect.gen(function* () {
        const { codecFor } = yield* RpcSerialization.RpcSerialization
        for (const schema of [payloadSchema, successSchema, errorSchema].flatMap(parts)) {
          const encoded = yield* Effect.exit(
            Schema.encodeUnknownEffect(codecFor(schema))(undefined) as Effect.Effect<unknown>,
          )
          expect(Exit.isFailure(encoded) && Cause.hasDies(encoded.cause) ? Cause.pretty(encoded.cause) : null).toBe(
            null,
          )
        }
      }).pipe(Effect.provide(RpcSerialization.layerSchemaBinary({ maxFrameSize: 1024 })), Effect.runPromise),
  )
})
