/**
 * What the service says on stdout: one line of JSON per listener when it is ready, then what to try.
 */
import { Console, Effect } from "effect"
import type { Listeners } from "./service.ts"
import type { SourceOptions } from "./source-options.ts"
import { version } from "./version.ts"

/** A line per edge, e.g. `{"ready":"pose","url":"http://127.0.0.1:8000"}`; `{"ready":"node"}` when there is none. */
export const printReady = (listeners: Listeners["Service"]): Effect.Effect<void> => {
  const lines = [
    ...(listeners.pose === null ? [] : [{ ready: "pose", url: listeners.pose }]),
    ...(listeners.grpc === null ? [] : [{ ready: "grpc", url: `grpc://${listeners.grpc}` }]),
    ...(listeners.nexmon === null ? [] : [{ ready: "nexmon", url: `udp://${listeners.nexmon}` }]),
    ...(listeners.datagrams === null ? [] : [{ ready: "datagrams", url: `udp://${listeners.datagrams}` }]),
  ]
  return Effect.forEach(lines.length === 0 ? [{ ready: "node" }] : lines, (line) => Console.log(JSON.stringify(line)), {
    discard: true,
  })
}

/** Shows a generated password, once. */
export const printPassword = (username: string, password: string): Effect.Effect<void> =>
  Console.log(`
first administrator: ${username}, password: ${password}
(shown once; it is stored as a hash only)
`)

const sourceText = (source: SourceOptions): string => {
  switch (source.kind) {
    case "simulated":
      return "The source is SIMULATED: a small room, empty for some seconds, then one person walks. Every frame says so."
    case "replay":
      return `The source is a REPLAY of ${source.files.join(", ")}. Every frame says so.`
    case "none":
      return "There is no source: the service waits for routers (datagrams, gRPC). Until they send there are no frames."
  }
}

/** What to try next; the commands work when pasted, with the password in place of its placeholder where it is not known here. */
export const printWelcome = (options: {
  readonly source: SourceOptions
  readonly pose: string
  readonly username: string
  /** Null when it was not made up in this run. */
  readonly password: string | null
}): Effect.Effect<void> => {
  const { pose, source, username } = options
  const password = options.password ?? "<the admin password>"
  return Console.log(`
wavepose ${version}. ${sourceText(source)}

Get a token and the newest frame:

  TOKEN=$(curl -s ${pose}/api/v1/auth/token -H 'content-type: application/json' -d '{"username":"${username}","password":"${password}"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -s ${pose}/api/v1/pose/latest -H "authorization: Bearer $TOKEN"

The API as OpenAPI: ${pose}/api/v1/openapi.json. Frames over WebSocket: ${
    pose.replace("http", "ws")
  }/ws/pose?token=$TOKEN
Stop with Ctrl-C.
`)
}
