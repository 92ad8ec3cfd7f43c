/**
 * The home-automation runtime put together: its stores, its actors, how a node sees it, and its edge.
 */
import { Effect, Layer } from "effect"
import { HomeBusDoor } from "../../actors/home/bus/local-bus.ts"
import { layerHomeBus } from "../../actors/home/bus/home-bus-entity.ts"
import { layerHomeEntity, layerHomeEntityDoors } from "../../actors/home/entity/home-entity.ts"
import { layerHomeRegistries } from "../../actors/home/host/registries.ts"
import { layerHomeHistory } from "../../actors/store/home/home-history.ts"
import { HomeRegistryStore } from "../../actors/store/home/home-registry.ts"
import { HomeStateStore } from "../../actors/store/home/home-states.ts"
import { layerHomeTokenStore } from "../../actors/store/home/home-tokens.ts"
import { homeInstanceId } from "../../actors/store/encryption/cluster-secrets.ts"
import { HomeSite } from "../../gateways/home/server/configuration.ts"
import { homeGateway } from "../../gateways/home/gateway.ts"
import { layerHomeHostPorts } from "../../actors/home/view/host-calls.ts"
import { layerHomeRuntime } from "../../actors/home/view/runtime.ts"
import { layerHomeTokens } from "../../gateways/home/tokens.ts"
import type { HomeSettings } from "../settings/home-settings.ts"
import type { Settings } from "../settings/settings.ts"

export const layerHomeStores = Layer.mergeAll(
  HomeStateStore.layer,
  HomeRegistryStore.layer,
  layerHomeTokenStore,
  layerHomeHistory,
)

/** The entities and the bus. */
export const layerHomeActors = Layer.merge(layerHomeEntity, layerHomeBus).pipe(
  Layer.provide([HomeBusDoor.layer, layerHomeEntityDoors]),
)

/** The runtime and its registries as every node that serves or hosts them sees them. */
export const layerHomeView = layerHomeRegistries.pipe(
  Layer.provideMerge(layerHomeRuntime),
  Layer.provide(layerHomeEntityDoors),
)

/** Who may come in; the pose API manages the tokens. */
export const layerHomeAccess = ({ development, tokens }: HomeSettings) =>
  layerHomeTokens({ given: tokens, development })

/** The edge; `HomeAddress` says where it listens. */
export const layerHomeEdge = ({ bounds, home: { name, origins, port }, host, trustedProxies }: Settings) =>
  homeGateway({ host, port, origins, bounds, trustedProxies }).pipe(
    Layer.provide(layerHomeHostPorts),
    Layer.provide(Layer.effect(
      HomeSite,
      Effect.map(homeInstanceId, (instanceId) => ({ locationName: name, instanceId })),
    )),
  )
