/** The service's findings in the order and groups in which the console shows them. Pure. */
import type { Finding } from "../service/types.ts"

export interface FindingGroup {
  /** Null: what concerns no single room. */
  readonly environmentId: string | null
  /** What is wrong or limited, the worst first. */
  readonly open: ReadonlyArray<Finding>
  readonly fine: ReadonlyArray<Finding>
}

const ranks: Readonly<Record<Finding["verdict"], number>> = { problem: 0, unknown: 1, limit: 2, ok: 3 }

const isOpen = ({ verdict }: Finding): boolean => verdict !== "ok"

const worstFirst = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  [...findings].sort((a, b) => ranks[a.verdict] - ranks[b.verdict])

/** The findings of the service as a whole, then those of each room in the order of their names. */
export const groupsOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<FindingGroup> =>
  [...new Set(findings.map(({ environment_id }) => environment_id))]
    .sort((a, b) => (a ?? "") < (b ?? "") ? -1 : 1)
    .map((environmentId) => {
      const own = findings.filter(({ environment_id }) => environment_id === environmentId)
      return { environmentId, open: worstFirst(own.filter(isOpen)), fine: own.filter((one) => !isOpen(one)) }
    })

/** What is open about a room: `routerId` null for the room itself, else about that board. The worst first. */
export const openFindings = (
  findings: ReadonlyArray<Finding>,
  environmentId: string,
  routerId: string | null,
): ReadonlyArray<Finding> =>
  worstFirst(
    findings.filter((one) => isOpen(one) && one.environment_id === environmentId && one.router_id === routerId),
  )
