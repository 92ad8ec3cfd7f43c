/** The actors of one simulated room, and the simulation that sends its packets to them hop by hop. */
import { Effect } from "effect"
import { loadScenario } from "../../deploy/source/load-scenario.ts"
import { openSimulation, scenarioEnrolments } from "../../deploy/source/simulate.ts"
import { defaultStartOptions } from "../../protocols/domain/system.ts"
import { encodeCsiBatch } from "../../protocols/grpc/csi-batch.ts"
import { Environment } from "../../protocols/messages/environment.ts"
import { Router } from "../../protocols/messages/router.ts"
import { Session, sessionEntityId } from "../../protocols/messages/session.ts"

/** A scenario of one environment. `sendHop` sends the next 100 ms of the routers that `sends` selects. */
export const simulatedRoom = Effect.fn("simulatedRoom")(function* (
  { name, sends = () => true, startMs }: {
    readonly name: string
    readonly sends?: (routerId: string, routerIds: ReadonlyArray<string>) => boolean
    readonly startMs: number
  },
) {
  const scenario = yield* loadScenario(name)
  const { environment, routerIds } = scenarioEnrolments(scenario)[0]!
  const router = yield* Router.client
  const session = (yield* Session.client)(sessionEntityId)
  const source = openSimulation(scenario, { startMs, seed: 1, hops: null })
  return {
    environment,
    room: (yield* Environment.client)(environment.environmentId),
    router,
    routerIds,
    sendHop: Effect.flatMap(source.next, (hop) =>
      Effect.forEach(
        hop!.batches.filter(({ routerId }) => sends(routerId, routerIds)),
        (batch) => router(batch.routerId).Ingest({ batches: [encodeCsiBatch(batch)] }),
      )),
    /** Starts the system, and waits until it runs. */
    startSystem: session.Start(defaultStartOptions).pipe(
      Effect.andThen(session.Status().pipe(Effect.repeat({ until: ({ status }) => status === "running" }))),
    ),
  }
})
