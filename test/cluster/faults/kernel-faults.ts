/**
 * Lost kernel backends: the node that hosts a located room computes with typed arrays, says so, and opens the backend again.
 *
 * The second node is away meanwhile, so that the room is on the first one, whose health, metrics and doctor are asked.
 */
import { eventually } from "../../harness/service.ts"
import type { FaultCase, FaultWorld } from "./world.ts"

const recoverMsMax = 60_000

const lostOf = async ({ api, stays }: FaultWorld): Promise<number> => {
  const headers = { authorization: `Bearer ${api.token}` }
  const text = await fetch(`${stays.pose}/metrics`, { headers }).then((answer) => answer.text())
  return Number(/^wavepose_kernels_backends_lost_total (\d+)/m.exec(text)?.[1] ?? Number.NaN)
}

const isDegraded = async ({ api }: FaultWorld): Promise<boolean> =>
  (await api.get("/health?form=bare")).body.reasons.some((reason: string) => reason.includes("typed arrays"))

const kernelsFinding = async ({ api }: FaultWorld): Promise<string> => {
  const { body } = await api.get("/system/findings?form=bare")
  return body.findings.find(({ check }: { check: string }) => check === "kernels").finding
}

/** The backend is lost by what the node does at this signal (`kernel-preload.ts`). */
const lossBy = (name: string, signal: NodeJS.Signals): FaultCase => ({
  name,
  // The second node stops first.
  limitMs: 2_000,
  lostHopsMax: 1,
  run: async (world) => {
    await world.second().stop()
    await world.located.start()
    const before = await lostOf(world)
    process.kill(world.stays.process.pid!, signal)
    await Promise.all([
      eventually(() => lostOf(world), (lost) => lost === before + 1, recoverMsMax),
      eventually(() => isDegraded(world), (degraded) => degraded, recoverMsMax),
    ])
    await eventually(() => kernelsFinding(world), (text) => text.includes("was opened again"), recoverMsMax)
    await eventually(() => isDegraded(world), (degraded) => !degraded, recoverMsMax)
  },
  after: async (world) => {
    world.located.stop()
    await world.startSecond()
  },
})

export const kernelFaults: ReadonlyArray<FaultCase> = [
  lossBy("the kernels of a node trap, until they are opened again", "SIGUSR2"),
  lossBy("the kernels of a node leave NaN in their memory, until they are opened again", "SIGALRM"),
]
