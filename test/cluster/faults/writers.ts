/**
 * Clients that write while faults happen, through each node: states of the home, the configuration, labels and acknowledgements of alerts.
 *
 * A client waits for the answer to a write before the next one. Some changes of the configuration arm or disarm the intrusion alert, which
 * raises new alerts in the rooms with motion.
 */
import { setTimeout as after } from "node:timers/promises"
import type { Api, TestService } from "../../harness/service.ts"
import { type Write, writeViolationsOf } from "./write-checker.ts"

export const homeToken = "a-token-of-the-fault-harness"
/** Between two writes of a client. */
const everyMs = { home: 250, configuration: 3_000, labels: 1_000, alerts: 700 } as const
type Kind = keyof typeof everyMs

/** A client does not wait longer for an answer. The configuration has ten seconds to be applied and reverted. */
const answerMsMax = 15_000
const pageMax = 100
const labelled = { firstMs: Date.UTC(2020, 0, 1), lengthMs: 60_000 }
/** Changes of the configuration with the intrusion alert armed, and as many without. */
const armedFor = 3
const inactivityMinutes = { min: 5, max: 1_000 }

interface WritersOptions {
  readonly nodes: () => ReadonlyArray<TestService>
  readonly api: Pick<Api, "token">
  /** The room whose labels are written. */
  readonly room: string
}

export interface Writers {
  /** Whether the clients acknowledge alerts. */
  acknowledge: boolean
  /** Acknowledges an alert through a node. */
  readonly acknowledgeAlert: (node: TestService, alertId: string) => Promise<void>
  /** Forgets the writes before a fault. */
  readonly begin: () => void
  /** How many writes of each kind were done since. */
  readonly done: () => Readonly<Record<Kind, number>>
  /** What the checker finds in the writes since. */
  readonly violations: () => Promise<ReadonlyArray<string>>
  readonly stop: () => Promise<void>
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** Starts the clients. */
export const startWriters = ({ api: { token }, nodes, room }: WritersOptions): Writers => {
  const writes: Record<Kind, Array<Write>> = { home: [], configuration: [], labels: [], alerts: [] }
  let sinceMs = Date.now()
  let labels = 0
  let firstLabel = 0
  let minutes = inactivityMinutes.min
  let isOver = false

  const ask = async (url: string, method: string, bearer: string, body?: unknown) => {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      ...body === undefined ? {} : { body: JSON.stringify(body) },
      signal: AbortSignal.timeout(answerMsMax),
    })
    const text = await response.text()
    // deno-lint-ignore no-explicit-any
    return { isDone: response.ok, body: (/^[[{]/.test(text) ? JSON.parse(text) : null) as any }
  }
  const pose = (node: TestService, method: string, path: string, body?: unknown) =>
    ask(`${node.pose}/api/v1${path}`, method, token, body)

  /** Each makes a write through a node, and returns whether it was done. */
  const writers: Readonly<Record<Kind, (node: TestService, client: string) => Promise<void>>> = {
    home: async (node, client) => {
      const state = String(writes.home.length + 1)
      const entity = `sensor.${client.replaceAll(" ", "_")}`
      await attempt(
        "home",
        client,
        `${entity} ${sinceMs} ${state}`,
        () => ask(`${node.home}/api/states/${entity}`, "POST", homeToken, { state: `${sinceMs} ${state}` }),
      )
    },
    configuration: async (node, client) => {
      minutes = minutes === inactivityMinutes.max ? inactivityMinutes.min : minutes + 1
      const armed = Math.floor(minutes / armedFor) % 2 === 1
      await attempt("configuration", client, String(minutes), () =>
        pose(node, "PUT", "/config?form=bare", {
          alerts: { inactivity_detection: { threshold_minutes: minutes }, intrusion_detection: { armed } },
        }))
    },
    labels: async (node, client) => {
      const fromMs = labelled.firstMs + labels++ * labelled.lengthMs
      const [start_time, end_time] = [iso(fromMs), iso(fromMs + labelled.lengthMs)]
      await attempt(
        "labels",
        client,
        start_time,
        () => pose(node, "POST", "/labels?form=bare", { environment_id: room, start_time, end_time, state: "empty" }),
      )
    },
    alerts: async (node) => {
      if (!result.acknowledge) return
      const open = await pose(node, "GET", "/alerts?form=bare&status=open")
      for (const { alert_id } of open.isDone ? open.body.alerts.toReversed() : []) {
        if (writes.alerts.some(({ content }) => content === alert_id)) continue
        await acknowledgeAlert(node, alert_id)
      }
    },
  }
  const attempt = async (
    kind: Kind,
    client: string,
    content: string,
    send: () => Promise<{ readonly isDone: boolean }>,
  ) => {
    const write: Write = { client, content, isDone: false }
    writes[kind].push(write)
    write.isDone = (await send()).isDone
  }

  /** The list of alerts is in their order, not in that of their acknowledgements: each counts for itself. */
  const acknowledgeAlert = (node: TestService, alertId: string) =>
    attempt("alerts", alertId, alertId, () => pose(node, "POST", `/alerts/${alertId}/acknowledge?form=bare`))

  const run = async (kind: Kind, number: number) => {
    while (!isOver) {
      const node = nodes()[number]
      // A node that is away answers nothing.
      if (node !== undefined) await writers[kind](node, `${kind} ${number + 1}`).catch(() => {})
      await after(everyMs[kind])
    }
  }
  /** What is stored of each kind, in order, as the first node answers. */
  const stored: Readonly<Record<Kind, () => Promise<ReadonlyArray<string>>>> = {
    home: async () => {
      const entities = [1, 2].map((number) => `sensor.home_${number}`)
      const query = `filter_entity_id=${entities.join(",")}&skip_initial_state`
      const url = `${nodes()[0]!.home}/api/history/period/${iso(sinceMs - 60_000)}?${query}`
      const { body } = await ask(url, "GET", homeToken)
      return body.flat().map(({ entity_id, state }: { entity_id: string; state: string }) => `${entity_id} ${state}`)
    },
    configuration: async () => {
      const { body } = await pose(nodes()[0]!, "GET", `/config/changes?form=bare&limit=${pageMax}`)
      // A change that was reverted is not there any more.
      const reverted = new Set<number>()
      for (const { revision, taken_back } of body.changes) if (taken_back !== null) reverted.add(revision - 1)
      return body.changes.toReversed()
        .filter(({ revision, taken_back }: { revision: number; taken_back: string | null }) =>
          taken_back === null && !reverted.has(revision)
        )
        .flatMap(({ after }: { after: Record<string, unknown> }) => {
          const value = after["alerts.inactivity_detection.threshold_minutes"]
          return value === undefined ? [] : [String(value)]
        })
    },
    labels: async () => {
      const from = iso(labelled.firstMs + firstLabel * labelled.lengthMs)
      const { body } = await pose(nodes()[0]!, "GET", `/labels?form=bare&environment_id=${room}&start_time=${from}`)
      return body.labels.map(({ start_time }: { start_time: string }) => start_time).toReversed()
    },
    alerts: async () => {
      const path = `/analytics/events?form=bare&event_type=alert&limit=${pageMax}`
      const { body } = await pose(nodes()[0]!, "GET", path)
      const events: ReadonlyArray<{ readonly event_id: string; readonly actions_taken: ReadonlyArray<string> }> = body
      return events.toReversed().filter(({ actions_taken }) => actions_taken.includes("alert_acknowledged"))
        .map(({ event_id }) => event_id)
    },
  }

  const result: Writers = {
    acknowledge: true,
    acknowledgeAlert,
    begin: () => {
      for (const kind of Object.keys(writes) as ReadonlyArray<Kind>) writes[kind] = []
      sinceMs = Date.now()
      firstLabel = labels
    },
    done: () => {
      const count = (kind: Kind) => writes[kind].filter(({ isDone }) => isDone).length
      return {
        home: count("home"),
        configuration: count("configuration"),
        labels: count("labels"),
        alerts: count("alerts"),
      }
    },
    violations: async () => {
      const found: Array<string> = []
      for (const kind of Object.keys(writes) as ReadonlyArray<Kind>) {
        const judged = writes[kind].map((write) => ({ ...write }))
        found.push(...writeViolationsOf(judged, await stored[kind]()))
      }
      return found
    },
    stop: async () => {
      isOver = true
      await Promise.all(running)
    },
  }
  const running = (Object.keys(everyMs) as ReadonlyArray<Kind>).flatMap((kind) => [run(kind, 0), run(kind, 1)])
  return result
}
