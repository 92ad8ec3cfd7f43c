/**
 * Handlers of the group Sensing nodes. Every decision is logged with its author. Keys are never logged.
 */
import { Effect } from "effect"
import { ResourceNotFound } from "../../../protocols/pose-api/edge-failures.ts"
import {
  enrolSensingNode,
  listSensingNodes,
  quarantineSensingNode,
  releaseSensingNode,
  revokeSensingNode,
} from "../../../protocols/pose-api/sensing-nodes.ts"
import { NodeIdentities } from "../../../protocols/ports/node-identities.ts"
import { Admission } from "../../datagrams/admission.ts"
import { changedBy } from "../../calls/changed-by.ts"
import { route } from "../server/route.ts"

const unknown = (why: string) => new ResourceNotFound({ resource: "sensing_node", message: why })

const policy = Effect.map(Admission, (admission) => admission.policy)

export const sensingNodeRoutes = [
  route(listSensingNodes, () => Effect.all({ nodes: Effect.flatMap(NodeIdentities, ({ all }) => all), policy })),

  route(enrolSensingNode, ({ caller, params: { node_id } }) =>
    Effect.gen(function* () {
      const by = changedBy(caller).name
      const enrolled = yield* (yield* NodeIdentities).enrol(node_id, by)
      yield* Effect.logInfo("sensing node enrolled", { node_id, key_number: enrolled.keyNumber, by })
      return { ...enrolled, policy: yield* policy }
    })),

  route(revokeSensingNode, ({ body, caller, params: { node_id } }) =>
    Effect.gen(function* () {
      const by = changedBy(caller).name
      if (!(yield* (yield* NodeIdentities).revoke(node_id, body?.reason ?? null, by))) {
        return yield* unknown("There is no sensing node with this id. GET /api/v1/sensing-nodes lists them.")
      }
      yield* Effect.logInfo("sensing node revoked", { node_id, by })
    })),

  route(quarantineSensingNode, ({ body, caller, params: { node_id } }) =>
    Effect.gen(function* () {
      const by = changedBy(caller).name
      const node = yield* (yield* NodeIdentities).quarantine(node_id, body?.reason ?? null, by)
      yield* Effect.logInfo("sensing node quarantined", { node_id, by })
      return { node, policy: yield* policy }
    })),

  route(releaseSensingNode, ({ caller, params: { node_id } }) =>
    Effect.gen(function* () {
      const by = changedBy(caller).name
      const node = yield* (yield* NodeIdentities).release(node_id, by)
      if (node === null) {
        return yield* unknown(
          "There is no sensing node with this id that can be released. Enrol a revoked node again.",
        )
      }
      yield* Effect.logInfo("sensing node released", { node_id, by })
      return { node, policy: yield* policy }
    })),
]
