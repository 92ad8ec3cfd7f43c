/**
 * Output of `start` on stdout: one line of JSON per listener when the service is ready, then the welcome.
 */
import { Console, Effect } from "effect"
import { hostPort } from "../../protocols/domain/host-port.ts"
import type { Scenario } from "../../sim/scenario/scenario.ts"
import type { Listeners } from "../composition/gateways.ts"
import { version } from "../composition/version.ts"

/** One line per edge, e.g. `{"ready":"pose","url":"http://127.0.0.1:8000"}`; `{"ready":"node"}` without edges. */
export const printReady = (listeners: Listeners["Service"]): Effect.Effect<void> => {
  const lines = [
    ...(listeners.pose === null ? [] : [{ ready: "pose", url: listeners.pose }]),
    ...(listeners.home === null ? [] : [{ ready: "home", url: listeners.home }]),
    ...(listeners.grpc === null ? [] : [{ ready: "grpc", url: `grpc://${listeners.grpc}` }]),
    ...(listeners.nexmon === null ? [] : [{ ready: "nexmon", url: `udp://${listeners.nexmon}` }]),
    ...(listeners.datagrams === null ? [] : [{ ready: "datagrams", url: `udp://${listeners.datagrams}` }]),
  ]
  return Effect.forEach(lines.length === 0 ? [{ ready: "node" }] : lines, (line) => Console.log(JSON.stringify(line)), {
    discard: true,
  })
}

/** Prints a generated password, once, before anything else can fail. */
export const printPassword = (username: string, password: string): Effect.Effect<void> =>
  Console.log(`First administrator: ${username}, password: ${password} (shown once; only its hash is stored)`)

/** The source that this node plays, and its environments. */
export type SourceDescription =
  | { readonly kind: "none" }
  | {
    readonly kind: "simulated"
    readonly scenario: Scenario
    readonly environmentIds: ReadonlyArray<string>
  }
  | {
    readonly kind: "replay"
    readonly files: ReadonlyArray<string>
    /** The files that contain a recorded simulation. */
    readonly simulated: ReadonlyArray<string>
    readonly environmentIds: ReadonlyArray<string>
  }

const counted = (n: number, one: string, several: string): string => `${n === 1 ? "one" : n} ${n === 1 ? one : several}`

const simulatedText = ({ emptySeconds, persons, rooms, scenarioId }: Scenario): string => {
  const empty = emptySeconds === 0 ? "" : `, empty for ${emptySeconds} s at first`
  const where = counted(rooms.length, "room", "rooms")
  return `The source is SIMULATED: ${scenarioId}, ${where} and ${
    counted(persons.length, "person", "persons")
  }${empty}. Every frame says so.`
}

const replayText = (files: ReadonlyArray<string>, simulated: ReadonlyArray<string>): string => {
  if (simulated.length === 0) return `The source is a REPLAY of ${files.join(", ")}. Every frame says so.`
  return `The source is a REPLAY of ${files.join(", ")}, of which ${
    simulated.join(", ")
  } was SIMULATED. Every frame says which.`
}

const sourceText = (source: SourceDescription): string => {
  switch (source.kind) {
    case "simulated":
      return simulatedText(source.scenario)
    case "replay":
      return replayText(source.files, source.simulated)
    case "none":
      return "There is no source: the service waits for routers (datagrams, gRPC). It makes no frames until they send."
  }
}

/** The query that names an environment, if there are several. */
const environmentQuery = (source: SourceDescription): string =>
  source.kind === "none" || source.environmentIds.length < 2 ? "" : `?environment_id=${source.environmentIds[0]}`

const environmentText = (source: SourceDescription): string =>
  source.kind === "none" || source.environmentIds.length < 2
    ? ""
    : `Its environments: ${source.environmentIds.join(", ")}.`

/** The URL of a host and a port; null for a port that the operating system chooses. */
const urlOf = ({ host, port }: { readonly host: string; readonly port: number }): string | null =>
  port === 0 ? null : `http://${hostPort(host, port)}`

/** The address that signs in to the console once. */
export const signInLink = (pose: string, code: string): string => `${pose}/#/welcome?code=${code}`

interface Welcome {
  readonly source: SourceDescription
  readonly pose: string
  readonly home: string | null
  readonly bridge: { readonly host: string; readonly port: number } | null
  readonly username: string
  /** The password generated in this run; null if none was. */
  readonly password: string | null
  /** Signs in to the console once. */
  readonly code: string
  /** The log file; null: stderr. */
  readonly logFile: string | null
}

/** Two commands to paste. An unknown password is a placeholder. */
const pasteText = ({ pose, source, username, ...options }: Welcome): string => {
  const password = options.password ?? "<the admin password>"
  return `  TOKEN=$(curl -s ${pose}/api/v1/auth/token -H 'content-type: application/json' -d '{"username":"${username}","password":"${password}"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -s "${pose}/api/v1/pose/latest${environmentQuery(source)}" -H "authorization: Bearer $TOKEN"`
}

/** What the service prints when it is ready: on a terminal at most 15 lines with all that was printed before. */
export const welcomeText = (welcome: Welcome, terminal: boolean): string => {
  const { bridge, code, home, logFile, pose, source, username } = welcome
  const bridgeUrl = bridge === null ? null : urlOf(bridge)
  const served = [
    `API reference ${pose}/docs`,
    ...(home === null ? [] : [`home automation ${home}`]),
    ...(bridgeUrl === null ? [] : [`edge bridge ${bridgeUrl}`]),
  ]
  const lines = [
    `wavepose ${version} runs at ${pose}. Stop with Ctrl-C.`,
    `Open the console, signed in as ${username} (once, within 10 minutes, on this machine):`,
    `  ${signInLink(pose, code)}`,
    [sourceText(source), environmentText(source)].filter((text) => text !== "").join(" "),
    `Also: ${served.join("; ")}`,
    `No frames? npx wavepose doctor says why. All commands: npx wavepose help`,
    ...(logFile === null ? [] : [`The log is in ${logFile}`]),
    ...(terminal ? [] : [pasteText(welcome)]),
  ]
  return lines.join("\n")
}
