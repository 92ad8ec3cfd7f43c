/**
 * The home's services and plugins as this node's edges see them: the ports, answered by the HomeHost actor wherever it lives.
 */
import { Effect, Layer } from "effect"
import type { Sharding } from "effect/cluster"
import { ActorUnavailable } from "../../../protocols/domain/failure.ts"
import { HomeHost, homeHostId } from "../../../protocols/messages/home-host.ts"
import { HomePlugins } from "../../../protocols/ports/home-plugins.ts"
import { HomeServices, type ServiceDescriptions } from "../../../protocols/ports/home-services.ts"
import { ask } from "../../../gateways/calls/call-actor.ts"

/** A service has its own time limits; this one is for a host that went away. */
const callMsMax = 600_000

const unavailable = new ActorUnavailable({
  actor: "HomeHost",
  message: "The home's services do not answer: does a node of role home run? Try again.",
})

const orUnavailable = <A, E extends { readonly _tag: string }, R>(answer: Effect.Effect<A, E, R>) =>
  Effect.mapError(
    answer,
    (error) => error._tag === "AnswerTimeout" ? unavailable : error as Exclude<E, { readonly _tag: "AnswerTimeout" }>,
  )

const host = Effect.map(HomeHost.client, (client) => client(homeHostId))

/** The ports of services and plugins. */
export const layerHomeHostPorts: Layer.Layer<HomeServices | HomePlugins, never, Sharding.Sharding> = Layer.merge(
  Layer.effect(
    HomeServices,
    Effect.map(host, (host) => ({
      all: Effect.map(orUnavailable(ask("HomeHost", host.Services())), (all) => all as unknown as ServiceDescriptions),
      call: (call) => orUnavailable(ask("HomeHost", host.CallService(call), callMsMax)),
    })),
  ),
  Layer.effect(
    HomePlugins,
    Effect.map(host, (host) => {
      const plugins = orUnavailable(ask("HomeHost", host.Plugins()))
      return {
        manifests: Effect.map(plugins, ({ manifests }) => manifests),
        components: Effect.map(plugins, ({ components }) => components),
      }
    }),
  ),
)
