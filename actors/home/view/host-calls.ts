/**
 * The ports of services and plugins on this node: their calls go to the HomeHost actor, on whichever node it runs.
 */
import { Effect, Layer } from "effect"
import type { Sharding } from "effect/cluster"
import { ActorUnavailable } from "../../../protocols/domain/failure.ts"
import { HomeHost, homeHostId } from "../../../protocols/messages/home-host.ts"
import { HomePlugins } from "../../../protocols/ports/home-plugins.ts"
import { HomeServices } from "../../../protocols/ports/home-services.ts"
import { askOrUnavailable } from "../../../protocols/messages/call-actor.ts"

/** The services have their own time limits; this one covers a host that went away. */
const callMsMax = 600_000

const unavailable = new ActorUnavailable({
  actor: "HomeHost",
  message: "The home's services do not answer: does a node of role home run? Try again.",
})

const ask = <A, E, R>(call: Effect.Effect<A, E, R>, limitMs?: number) =>
  askOrUnavailable("HomeHost", call, unavailable, limitMs)

const host = Effect.map(HomeHost.client, (client) => client(homeHostId))

/** The ports of services and plugins. */
export const layerHomeHostPorts: Layer.Layer<HomeServices | HomePlugins, never, Sharding.Sharding> = Layer.merge(
  Layer.effect(
    HomeServices,
    Effect.map(host, (host) => ({
      all: ask(host.Services()),
      call: (call) => ask(host.CallService(call), callMsMax),
    })),
  ),
  Layer.effect(
    HomePlugins,
    Effect.map(host, (host) => {
      const plugins = ask(host.Plugins())
      return {
        manifests: Effect.map(plugins, ({ manifests }) => manifests),
        components: Effect.map(plugins, ({ components }) => components),
        states: Effect.map(plugins, ({ plugins }) => plugins),
      }
    }),
  ),
)
