/**
 * `wavepose node add`: enrols a node in an environment with a key, prints the settings of its firmware, and waits until it is heard.
 *
 * Boundary: it is a REST client like any other. `gateways/diagnosis/judge-node.ts` judges the answers. The node keeps its environment and its
 * key when the command ends, so a second run would only replace the key: `--wait-only` waits again.
 */
import { Console, Data, Effect } from "effect"
import { networkInterfaces } from "node:os"
import { DiagnosticsBody } from "../../protocols/pose-api/diagnostics.ts"
import { EnvironmentDetail } from "../../protocols/pose-api/environments.ts"
import { EnrolledNodeBody } from "../../protocols/pose-api/sensing-nodes.ts"
import type { Finding } from "../../protocols/pose-api/findings.ts"
import { isLoopbackHost } from "../../gateways/access/loopback.ts"
import { judgeNode } from "../../gateways/diagnosis/judge-node.ts"
import { printResult } from "./output.ts"
import { askService, NoAnswer, rejectedBy, signIn } from "./service-client.ts"
import { tableOf } from "./text-table.ts"

export interface AddNodeOptions {
  readonly nodeId: string
  readonly environmentId: string
  /** The firmware signs its datagrams. */
  readonly signed: boolean
  /** The node is enrolled already. */
  readonly waitOnly: boolean
  readonly timeoutS: number
  readonly url: string
  readonly json: boolean
}

/** The node was not heard in time. The findings are already printed. */
export class NodeNotHeard extends Data.TaggedError("NodeNotHeard")<{ readonly message: string }> {}

/** Between two examinations. */
const examineEveryMs = 3_000

type Ask = Effect.Success<ReturnType<typeof connected>>

const connected = Effect.fnUntraced(function* (url: string) {
  const headers = yield* signIn(url, "adding a node needs the role admin.")
  return <A>(path: string, schema: Parameters<typeof askService<A>>[2], method = "GET", body: unknown = null) =>
    askService(url, path, schema, {
      method,
      headers: { ...headers, ...(body === null ? {} : { "content-type": "application/json" }) },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    })
})

/** Adds the node to the routers of its environment, which is created if it does not exist. */
const enrolIn = Effect.fnUntraced(function* (ask: Ask, { environmentId, nodeId }: AddNodeOptions) {
  const path = `/environments/${encodeURIComponent(environmentId)}`
  const known = yield* ask(path, EnvironmentDetail).pipe(
    Effect.catchIf((failure) => failure instanceof NoAnswer && failure.status === 404, () => Effect.succeed(null)),
  )
  if (known === null) {
    const created = { environment_id: environmentId, name: environmentId, routers: [nodeId], activate: true }
    return yield* ask("/environments", EnvironmentDetail, "POST", created)
  }
  if (known.routers.includes(nodeId)) return known
  return yield* ask(path, EnvironmentDetail, "PUT", { routers: [...known.routers, nodeId] })
})

/** The first address of this machine in its network; null without one. */
const networkAddress = (): string | null =>
  Object.values(networkInterfaces()).flat().find((one) => one?.family === "IPv4" && !one.internal)?.address ?? null

/** The settings that the firmware needs, and how it names them. */
const settingsOf = (diagnostics: DiagnosticsBody, nodeId: string, key: string | null) => {
  const listener = diagnostics.datagrams.find(({ kind }) =>
    kind === (nodeId.startsWith("nexmon-") ? "nexmon" : "ruview")
  )
  const onlyHere = isLoopbackHost(listener?.host ?? "127.0.0.1")
  return {
    target_host: onlyHere ? null : /^(0\.0\.0\.0|::)$/.test(listener!.host) ? networkAddress() : listener!.host,
    target_port: listener?.port ?? null,
    node_number: /^node-(\d{1,3})$/.exec(nodeId)?.[1] ?? null,
    key,
  }
}

type FirmwareSettings = ReturnType<typeof settingsOf>

const settingsText = ({ key, node_number, target_host, target_port }: FirmwareSettings): string =>
  tableOf([
    ["target address", target_host ?? "none: the service listens on loopback; start it with WAVEPOSE_HOST=0.0.0.0"],
    ["target port", `${target_port ?? "none"} (UDP)`],
    ...(node_number === null ? [] : [["node number", node_number]]),
    ["key", key === null ? "none: unsigned" : `${key} (shown once)`],
  ])

const findingText = ({ advice, finding }: Finding): string => advice === null ? finding : `${finding}. ${advice}`

/** Examines the service until the node is heard; `tell` receives each finding that differs from the one before. */
const waitUntilHeard = Effect.fnUntraced(function* (
  ask: Ask,
  nodeId: string,
  tell: (finding: Finding) => Effect.Effect<void>,
) {
  const look = ask("/system/diagnostics", DiagnosticsBody)
  let told = ""
  for (let first = yield* look;;) {
    yield* Effect.sleep(examineEveryMs)
    const last: DiagnosticsBody = yield* look
    const finding = judgeNode(first, last, nodeId)
    if (finding.verdict === "ok") return finding
    // Numbers change from one examination to the next.
    const text = findingText(finding).replace(/\d+ s ago/, "")
    if (text !== told) yield* tell(finding)
    told = text
    first = last
  }
})

/** Adds a node and waits for it. */
export const addNode = Effect.fnUntraced(function* (options: AddNodeOptions) {
  const { environmentId, json, nodeId, signed, timeoutS, url, waitOnly } = options
  const say = (text: string) => Console.error(text)
  const add = Effect.gen(function* () {
    const ask = yield* connected(url)
    if (!waitOnly) {
      yield* enrolIn(ask, options)
      // All that can fail comes before the key, which is shown once.
      const diagnostics = yield* ask("/system/diagnostics", DiagnosticsBody)
      const enrolment = `/sensing-nodes/${encodeURIComponent(nodeId)}/enrolment`
      const key = signed ? (yield* ask(enrolment, EnrolledNodeBody, "POST")).key : null
      const settings = settingsOf(diagnostics, nodeId, key)
      const head = `Node ${nodeId} is enrolled in ${environmentId}. Settings of its firmware:`
      yield* json ? Console.log(JSON.stringify({ node_id: nodeId, ...settings })) : Console.log(
        `${head}\n${settingsText(settings)}`,
      )
    }
    yield* say(`Waiting for ${nodeId} for at most ${timeoutS} s. Ctrl-C ends the waiting; the node stays enrolled.`)
    return yield* waitUntilHeard(ask, nodeId, (finding) => say(`  ${findingText(finding)}`)).pipe(
      Effect.timeoutOrElse({
        duration: timeoutS * 1000,
        orElse: () =>
          Effect.fail(
            new NodeNotHeard({
              message:
                `${nodeId} was not heard within ${timeoutS} s. To wait again: wavepose node add ${nodeId} --wait-only`,
            }),
          ),
      }),
    )
  })
  const { finding } = yield* rejectedBy(url)(Effect.scoped(add))
  const next = "Next: leave the room, and calibrate it on the page Set-up of the console."
  yield* printResult(json, { node_id: nodeId, heard: true, finding }, `${finding}. ${next}`)
})
