import { describe, expect, it } from "vitest"
import type { TaskOf } from "../../../deploy/eval/task.ts"
import { runTasks } from "../../../deploy/eval/workers.ts"

const tasks = [1, 2, 3].map((seed): TaskOf<"poses"> => ({ kind: "poses", seed, seconds: 12 }))

const run = (count: number, given = tasks) => {
  let done = 0
  const options = {
    count,
    kernels: "typed-arrays" as const,
    onDone: () => void done++,
    signal: new AbortController().signal,
  }
  return runTasks(given, options).then((results) => ({ results, done }))
}

describe("the workers", () => {
  it("give the same results in the same order, for any number of workers", async () => {
    const alone = await run(1)
    expect(alone.done).toBe(3)
    expect(alone.results.every(({ counts }) => counts.some((count) => count > 0))).toBe(true)
    expect(alone.results[0]).not.toEqual(alone.results[1])
    expect((await run(2)).results).toEqual(alone.results)
  })

  it("end with the first failure, which names its seed", async () => {
    const foreign = { kind: "poses", seed: 20_000, seconds: 12 } as const
    await expect(run(2, [tasks[0]!, foreign, tasks[1]!])).rejects.toThrow(/seed 20000 failed.*not for training/s)
  })

  it("end when aborted, before or while they run", async () => {
    const options = { count: 1, kernels: "typed-arrays" as const }
    const ended = runTasks(tasks, { ...options, onDone: () => {}, signal: AbortSignal.abort() })
    await expect(ended).rejects.toThrow(/abort/i)
    const controller = new AbortController()
    const running = runTasks(tasks, { ...options, onDone: () => controller.abort(), signal: controller.signal })
    await expect(running).rejects.toThrow(/abort/i)
  })
})
