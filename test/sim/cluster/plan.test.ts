import { describe, expect, it } from "vitest"
import { clusterPlan, describePlan } from "../../../sim/cluster/plan.ts"

const plans = Array.from({ length: 200 }, (_, seed) => clusterPlan(seed))

describe("the plan of a seed", () => {
  it("is the same each time", () => expect(clusterPlan(7)).toEqual(clusterPlan(7)))

  it("has faults of every kind among 200 seeds, all over before the calm", () => {
    const kinds = new Set(plans.flatMap(({ faults }) => faults.map(({ kind }) => kind)))
    expect(kinds.size).toBe(12)
    for (const { faults, faultyMs } of plans) {
      for (const { atMs, forMs } of faults) expect(atMs + forMs).toBeLessThanOrEqual(faultyMs)
    }
  })

  it("names nodes that exist, and cuts links between two of them", () => {
    for (const { faults, nodes } of plans) {
      for (const fault of faults) {
        if ("node" in fault) expect(fault.node).toBeLessThan(nodes)
        if ("peer" in fault) expect(fault.peer).not.toBe(fault.node)
      }
    }
  })

  it("is one line", () => expect(describePlan(clusterPlan(7))).toMatch(/^seed 7: \d nodes, .*\+\d+$/))
})
