/**
 * The actors of a node of role `sensing`, and the registries of those that are called locally. Those of role `home` are in `home.ts`.
 */
import { Layer } from "effect"
import { layerArchive, layerLocalArchives } from "../../actors/archive/archive-entity.ts"
import { layerEdgeNode, layerLocalEdgeNodes } from "../../actors/edge/edge-node-entity.ts"
import { layerEdgeSite } from "../../actors/edge/edge-site-entity.ts"
import { layerEnvironment, layerLocalEnvironments } from "../../actors/environment/environment-entity.ts"
import { layerLocalRouters, layerRouter } from "../../actors/router/router-entity.ts"
import { layerSite } from "../../actors/site/site-entity.ts"
import { layerSession } from "../../actors/session/session-entity.ts"

export const layerActors = Layer.mergeAll(
  layerSession,
  layerEnvironment,
  layerRouter,
  layerSite,
  layerArchive,
  layerEdgeNode,
  layerEdgeSite,
)

export const layerLocalActors = Layer.mergeAll(
  layerLocalRouters,
  layerLocalEnvironments,
  layerLocalArchives,
  layerLocalEdgeNodes,
)
