/** A node that is lost with an acknowledgement of an alert that it has not stored. */
import { eventually } from "../../harness/service.ts"
import type { FaultCase, FaultWorld } from "./world.ts"

/** A body is recognised after some seconds, and an alert is armed from time to time. */
const alertMsMax = 90_000

/** An open alert of a room of the second node. */
const openAlert = async ({ api, roomsOfSecond }: FaultWorld): Promise<string | null> => {
  const { body, status } = await api.get("/alerts?form=bare&status=open")
  if (status !== 200) return null
  const alerts: ReadonlyArray<{ readonly alert_id: string; readonly environment_id: string }> = body.alerts
  const rooms = await roomsOfSecond()
  return alerts.find(({ environment_id }) => rooms.has(environment_id))?.alert_id ?? null
}

export const eventFaults: ReadonlyArray<FaultCase> = [{
  name: "an alert is acknowledged on a node without its database, then kill -9 of the node",
  // The link has been stalled for as long as an answer takes.
  limitMs: 12_000,
  lostHopsMax: null,
  run: async (world) => {
    const { link, second, stays, writers } = world
    writers.acknowledge = false
    const alertId = await eventually(() => openAlert(world), (id) => id !== null, alertMsMax)
    link.stall()
    await writers.acknowledgeAlert(stays, alertId!)
    await second().kill()
    link.resume()
    writers.acknowledge = true
    await world.settle()
  },
  after: (world) => world.startSecond(),
}]
