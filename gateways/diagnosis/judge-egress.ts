/** Findings about what leaves this node: egresses that are closed or fail, and boards whose privacy class keeps them and their room inside. */
import { type Destination, mayCross, nameOfClass, type PrivacyClass } from "../../core/privacy/privacy-class.ts"
import type { DiagnosticsBody } from "../../protocols/pose-api/diagnostics.ts"
import type { Finding } from "../../protocols/pose-api/findings.ts"
import type { EgressState } from "../../protocols/ports/egress.ts"
import { concerning, limit, ok, problem } from "./finding.ts"

const names: Readonly<Record<Destination, string>> = {
  bridge: "edge bridge",
  mqtt: "MQTT",
  home: "home API",
  webhook: "webhooks",
  grpc: "gRPC of edge records",
}

const egressFindings = ({ destination, reason, status }: EgressState): ReadonlyArray<Finding> => {
  const check = names[destination]
  switch (status) {
    case "active":
      return [ok(check, "it runs")]
    case "refused":
      return [
        limit(
          check,
          `closed: ${reason ?? "a record may not leave"}`,
          "If its records may leave, change WAVEPOSE_PRIVACY_CLASS and restart the service.",
        ),
      ]
    case "unavailable":
      return [problem(check, reason ?? "it does not run", "See the service's log for the cause.")]
    case "disabled":
    case "starting":
      return []
  }
}

const roomFindings = (
  { environments, routers }: DiagnosticsBody,
  classOf: (nodeId: string) => PrivacyClass,
): ReadonlyArray<Finding> =>
  environments.filter(({ active }) => active).flatMap(({ environment_id }) =>
    routers.filter((router) => router.environment_id === environment_id && !mayCross(classOf(router.router_id)))
      .flatMap(({ router_id }) =>
        concerning(
          [limit(
            `privacy of ${environment_id}`,
            `${router_id} has the privacy class ${
              nameOfClass(classOf(router_id))
            }: the home gets nothing of it, nor this room's presence, persons and alerts, and webhooks get no event of this room`,
            `This is as set. To send it, set the class of ${router_id} to anonymous or restricted in WAVEPOSE_PRIVACY_CLASS and restart the service.`,
          )],
          environment_id,
          router_id,
        )
      )
  )

/** @param classOf the privacy class that the operator set for a board */
export const judgeEgress = (
  last: DiagnosticsBody,
  classOf: (nodeId: string) => PrivacyClass,
  states: ReadonlyArray<EgressState>,
): ReadonlyArray<Finding> => [...states.flatMap(egressFindings), ...roomFindings(last, classOf)]
