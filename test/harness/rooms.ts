/**
 * Many rooms of one kind: the small room under other names, with site files for `wavepose start`.
 */
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadScenario } from "../../deploy/source/load-scenario.ts"
import { scenarioEnrolments } from "../../deploy/source/simulate.ts"
import type { Scenario } from "../../sim/scenario/scenario.ts"

/** The scenario under another name, with its own nodes. */
const roomOf = (scenario: Scenario, room: string): Scenario => ({
  ...scenario,
  rooms: scenario.rooms.map((each) => ({
    ...each,
    environmentId: room,
    nodes: each.nodes.map((node) => ({ ...node, nodeId: `${room}.${node.nodeId}` })),
  })),
  doors: scenario.doors.map((door) => ({ ...door, rooms: [room, null] })),
})

/** The small room under these names, and the arguments that enrol them at a start. */
export const smallRooms = async (names: ReadonlyArray<string>) => {
  const smallRoom = await Effect.runPromise(loadScenario("small-room"))
  const folder = mkdtempSync(join(tmpdir(), "wavepose-sites-"))
  const scenarios = new Map(names.map((name) => [name, roomOf(smallRoom, name)]))
  const siteArguments = [...scenarios].flatMap(([name, scenario]) => {
    const { environment, routerIds } = scenarioEnrolments(scenario)[0]!
    const file = join(folder, `${name}.json`)
    writeFileSync(file, JSON.stringify({ ...environment, routers: routerIds }))
    return ["--site", file]
  })
  return {
    siteArguments,
    scenarioOf: (name: string): Scenario => scenarios.get(name)!,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
