/**
 * The composition of the home-automation runtime: its stores, its actors, the view of a node, and its edge.
 */
import { Effect, Layer } from "effect"
import { LocalHomeBus } from "../../actors/home/bus/local-bus.ts"
import { layerHomeBus } from "../../actors/home/bus/home-bus-entity.ts"
import { layerHomeEntity, layerLocalHomeEntities } from "../../actors/home/entity/home-entity.ts"
import { layerHomeRegistries } from "../../actors/home/host/registries.ts"
import { layerHomeHistory } from "../../actors/store/home/home-history.ts"
import { HomeRegistryStore } from "../../actors/store/home/home-registry.ts"
import { HomeStateStore } from "../../actors/store/home/home-states.ts"
import { layerHomeTokenStore } from "../../actors/store/home/home-tokens.ts"
import { homeInstanceId } from "../../actors/store/encryption/cluster-secrets.ts"
import { HomeSite } from "../../gateways/home/server/configuration.ts"
import type { CertificateSource } from "../../gateways/http/tls.ts"
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
  Layer.provide([LocalHomeBus.layer, layerLocalHomeEntities]),
)

/** The view that each node with the home's edge or actors has of the runtime and its registries. */
export const layerHomeView = layerHomeRegistries.pipe(
  Layer.provideMerge(layerHomeRuntime),
  Layer.provide(layerLocalHomeEntities),
)

/** The tokens of the home API. The pose API manages them. */
export const layerHomeAccess = ({ development, tokens }: HomeSettings) =>
  layerHomeTokens({ given: tokens, development })

/** The edge. `HomeAddress` is its address. */
export const layerHomeEdge = (
  { bounds, home: { name, origins, port }, host, trustedProxies }: Settings,
  tls: CertificateSource | null,
) =>
  homeGateway({ host, port, tls, origins, bounds, trustedProxies }).pipe(
    Layer.provide(layerHomeHostPorts),
    Layer.provide(Layer.effect(
      HomeSite,
      Effect.map(homeInstanceId, (instanceId) => ({ locationName: name, instanceId })),
    )),
  )
