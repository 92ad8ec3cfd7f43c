/**
 * `wavepose node add`: enrols a node in an environment with a key, prints the settings of its firmware, and waits until it is heard.
 *
 * Boundary: it is a REST client like any other. `gateways/diagnosis/judge-node.ts` judges the answers. The node keeps its environment and its
 * key when the command ends, so a second run would only replace the key: `--wait-only` waits again.
 */
import { Console, Data, Effect } from "effect"
import { existsSync } from "node:fs"
import { lookup } from "node:dns/promises"
import { networkInterfaces } from "node:os"
import { DiagnosticsBody } from "../../protocols/pose-api/diagnostics.ts"
import { EnvironmentDetail } from "../../protocols/pose-api/environments.ts"
import { EnrolledNodeBody } from "../../protocols/pose-api/sensing-nodes.ts"
import type { Finding } from "../../protocols/pose-api/findings.ts"
import { judgeNode } from "../../gateways/diagnosis/judge-node.ts"
import { type KnownAddresses, nodeSettingsOf, nodeSettingsText } from "./node-settings.ts"
import { printResult } from "./output.ts"
import { askService, NoAnswer, rejectedBy, signIn } from "./service-client.ts"

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

/** Boards do not reach a container by its own address. */
const isContainer = (): boolean => existsSync("/.dockerenv") || existsSync("/run/.containerenv")

const knownAddresses: KnownAddresses = {
  get own() {
    return isContainer()
      ? []
      : Object.values(networkInterfaces()).flat().flatMap((one) =>
        one?.family === "IPv4" && !one.internal ? [one.address] : []
      )
  },
  resolve: (host) => lookup(host, { family: 4 }).then(({ address }) => address, () => null),
}

const findingText = ({ advice, finding }: Finding): string => advice === null ? finding : `${finding}. ${advice}`

/** Whether another attempt can have an answer: the service restarts, or a limit is used up. */
const passes = ({ status }: NoAnswer): boolean => status === null || status >= 500 || status === 429

/** Examines the service until the node is heard; `tell` receives each finding that differs from the one before. */
const waitUntilHeard = Effect.fnUntraced(function* (
  ask: Ask,
  nodeId: string,
  begun: DiagnosticsBody,
  tell: (finding: string) => Effect.Effect<void>,
) {
  const look = ask("/system/diagnostics", DiagnosticsBody).pipe(
    Effect.catchIf((failure) => failure instanceof NoAnswer && passes(failure), (failure) => Effect.succeed(failure)),
  )
  let told = ""
  const tellNew = (text: string) => {
    // Numbers change from one examination to the next.
    const known = text.replace(/\d+ s ago/, "")
    if (known === told) return Effect.void
    told = known
    return tell(text)
  }
  for (let first: DiagnosticsBody | null = begun;;) {
    yield* Effect.sleep(examineEveryMs)
    const last: DiagnosticsBody | NoAnswer = yield* look
    if (last instanceof NoAnswer) {
      yield* tellNew(`the service gives no diagnostics: ${last.message}. It is asked again.`)
      // The counts begin anew if the service was restarted.
      first = null
      continue
    }
    const finding = first === null ? null : judgeNode(first, last, nodeId)
    if (finding?.verdict === "ok") return finding
    if (finding !== null) yield* tellNew(findingText(finding))
    first = last
  }
})

/** Adds a node and waits for it. With `json` the settings are the result, as long as the command waits for a board that needs them. */
export const addNode = Effect.fnUntraced(function* (options: AddNodeOptions) {
  const { environmentId, json, nodeId, signed, timeoutS, url, waitOnly } = options
  const say = (text: string) => Console.error(text)
  const add = Effect.gen(function* () {
    const ask = yield* connected(url)
    if (!waitOnly) yield* enrolIn(ask, options)
    // All that can fail comes before the key, which is shown once.
    const diagnostics = yield* ask("/system/diagnostics", DiagnosticsBody)
    if (!waitOnly) {
      const settings = yield* Effect.promise(() => nodeSettingsOf(diagnostics.datagrams, nodeId, url, knownAddresses))
      const enrolment = `/sensing-nodes/${encodeURIComponent(nodeId)}/enrolment`
      const key = signed ? (yield* ask(enrolment, EnrolledNodeBody, "POST")).key : null
      const head = `Node ${nodeId} is enrolled in ${environmentId}. Settings of its firmware:`
      const text = `${head}\n${nodeSettingsText(settings, key)}`
      yield* printResult(json, { node_id: nodeId, ...settings, key }, text)
    }
    yield* say(`Waiting for ${nodeId} for at most ${timeoutS} s. Ctrl-C ends the waiting; the node stays enrolled.`)
    return yield* waitUntilHeard(ask, nodeId, diagnostics, (finding) => say(`  ${finding}`)).pipe(
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
  const text = `${finding}. Next: leave the room, and calibrate it on the page Set-up of the console.`
  yield* json && !waitOnly ? say(text) : printResult(json, { node_id: nodeId, heard: true, finding }, text)
})
