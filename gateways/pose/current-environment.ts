/**
 * The environment meant by requests that name none, remembered for a moment so that the hot path does not ask the
 * session each time. A start, stop or restart through this node is seen at once, one through another node after
 * `rememberedMs`.
 */
import { Context, Effect, Exit, Layer } from "effect"
import type { Sharding } from "effect/cluster"
import { InvalidRequest } from "../../protocols/http/errors.ts"
import { Directory } from "../../protocols/messages/directory.ts"
import { defaultEnvironment } from "../middleware/default-environment.ts"

const rememberedMs = 250

export class CurrentEnvironment extends Context.Service<CurrentEnvironment, {
  readonly resolve: Effect.Effect<string, Effect.Error<typeof defaultEnvironment>>
  /** The session has changed. */
  readonly forget: Effect.Effect<void>
}>()("wavepose/gateways/CurrentEnvironment") {
  static readonly layer: Layer.Layer<CurrentEnvironment, never, Directory | Sharding.Sharding> = Layer.effect(
    CurrentEnvironment,
    Effect.gen(function* () {
      const context = yield* Effect.context<Directory | Sharding.Sharding>()
      const [resolve, forget] = yield* defaultEnvironment.pipe(
        Effect.provide(context),
        Effect.cachedInvalidateWithTTL((exit) => Exit.isSuccess(exit) ? rememberedMs : 0),
      )
      return { resolve, forget }
    }),
  )
}

/** The environment of the session, or the request is asked to name one, in this field. */
export const currentEnvironment = (field = "environment_id") =>
  Effect.flatMap(CurrentEnvironment, ({ resolve }) => resolve).pipe(
    Effect.catchTag("EnvironmentNotNamed", ({ message }) => InvalidRequest.of(field, message)),
  )

/** The environment that is named, or the one that is meant by those who name none; it exists. */
export const environmentMeant = Effect.fnUntraced(function* (named: string | undefined, field?: string) {
  const environmentId = named ?? (yield* currentEnvironment(field))
  yield* (yield* Directory).environment(environmentId)
  return environmentId
})
