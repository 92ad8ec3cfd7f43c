/**
 * The streams that the configuration enables. A change takes effect on this node within two seconds.
 *
 * While the configuration cannot be read, the last one stays in effect.
 */
import { Context, Effect, Layer, Stream, SubscriptionRef } from "effect"
import { defaultConfiguration, type StreamingSettings } from "../../protocols/domain/configuration.ts"
import { Configurations } from "../../protocols/ports/configuration.ts"

const lookInterval = "1 second"

type StreamSwitch = keyof StreamingSettings

export class StreamingSwitches extends Context.Service<StreamingSwitches, {
  readonly isOn: (name: StreamSwitch) => boolean
  /** Completes when the stream is off. */
  readonly untilOff: (name: StreamSwitch) => Effect.Effect<void>
  /** Completes when the stream is on. */
  readonly untilOn: (name: StreamSwitch) => Effect.Effect<void>
  /** Emits each time the stream is turned off from now on. */
  readonly turnedOff: (name: StreamSwitch) => Stream.Stream<void>
}>()("wavepose/gateways/StreamingSwitches") {
  static readonly layer: Layer.Layer<StreamingSwitches, never, Configurations> = Layer.effect(
    StreamingSwitches,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const { current } = yield* Configurations
  const settings = yield* SubscriptionRef.make<StreamingSettings>(defaultConfiguration.streaming)
  const look = current.pipe(
    Effect.flatMap(({ streaming }) => SubscriptionRef.set(settings, streaming)),
    Effect.catchCause((cause) => Effect.logDebug("the configuration could not be read", cause)),
  )
  yield* look
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(lookInterval), look)))
  const states = (name: StreamSwitch) =>
    SubscriptionRef.changes(settings).pipe(Stream.map((streaming) => streaming[name]), Stream.changes)
  return StreamingSwitches.of({
    isOn: (name) => SubscriptionRef.getUnsafe(settings)[name],
    untilOn: (name) => states(name).pipe(Stream.filter((on) => on), Stream.take(1), Stream.runDrain),
    untilOff: (name) => states(name).pipe(Stream.filter((on) => !on), Stream.take(1), Stream.runDrain),
    turnedOff: (name) => states(name).pipe(Stream.drop(1), Stream.filter((on) => !on), Stream.map(() => undefined)),
  })
})
