/**
 * A running service for end-to-end tests: a real process on free ports, stopped and cleaned up after the test.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setInterval } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { addMigratedDatabase } from "./migrated-database.ts"

export interface TestService {
  /** E.g. `http://127.0.0.1:41234`; empty for a node without gateways. */
  readonly pose: string
  readonly grpc: string
  /** E.g. `http://127.0.0.1:41234`; empty for a node without gateways. */
  readonly home: string
  readonly datagrams: { readonly host: string; readonly port: number }
  readonly process: ChildProcess
  /** Its output on stdout and stderr. */
  readonly output: () => string
  /** Asks it to stop; resolves to its exit code. */
  readonly stop: () => Promise<number | null>
  /** Kills it with SIGKILL. */
  readonly kill: () => Promise<void>
}

export const adminPassword = "correct horse battery staple"

/** Every listener takes a port that is free. */
export const freePorts = {
  WAVEPOSE_PORT: "0",
  WAVEPOSE_GRPC_PORT: "0",
  WAVEPOSE_UDP_PORT: "0",
  WAVEPOSE_NEXMON_PORT: "0",
  WAVEPOSE_HOME_PORT: "0",
}

const inDeploy = (file: string): string => fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url))
/** The program of the service. */
export const main = inDeploy("main.ts")
/** The permissions that `deploy/launcher/service.mjs` gives Deno, so that a test's process may not do more than a user's service. */
const permissions = (JSON.parse(readFileSync(inDeploy("permissions.json"), "utf8")) as ReadonlyArray<string>)
  .map((flag) => flag.replace("{deno}", process.execPath))
/** Arguments of this runtime that run the service, with an optional limit of the heap and a module that runs before it. */
export const runtimeArguments = (heapMibMax?: number, preload?: string): ReadonlyArray<string> => {
  const isDeno = "Deno" in globalThis
  const limit = heapMibMax === undefined ? [] : [`--max-old-space-size=${heapMibMax}`]
  const before = preload === undefined ? [] : [isDeno ? "--preload" : "--import", preload]
  return isDeno
    ? ["run", "--quiet", "--no-prompt", ...permissions, ...limit.map((flag) => `--v8-flags=${flag}`), ...before, main]
    : [...limit, ...before, main]
}

/** Resolves when `condition` holds for the output; rejects when the process ends before that. */
const outputs = (child: ChildProcess, output: () => string, condition: (output: string) => boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    const check = () => condition(output()) ? resolve() : undefined
    child.stdout!.on("data", check)
    child.stderr!.on("data", check)
    child.once("exit", (code) => reject(new Error(`the service ended with code ${code}:\n${output()}`)))
    check()
  })

/** Ctrl-C. By pid, because Deno reports a child that `kill()` was called on as killed, however it ended. */
export const interrupt = (child: ChildProcess): void => void process.kill(child.pid!, "SIGINT")

/** Starts a service and waits until it is ready. */
export const startService = async (
  options: {
    readonly args?: ReadonlyArray<string>
    readonly env?: Record<string, string>
    /** Kept after the service has stopped; without it each service has a folder of its own. */
    readonly dataDirectory?: string
    /** Limit of the JavaScript heap; the runtime's own without it. */
    readonly heapMibMax?: number
    /** A module that runs in the process before the service. */
    readonly preload?: string
    /** Arguments of this runtime that run a service, in place of the one of the sources. */
    readonly program?: ReadonlyArray<string>
  } = {},
): Promise<TestService> => {
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), "wavepose-data-"))
  const isEmbedded = !options.env?.["DATABASE_URL"]
  if (isEmbedded && options.dataDirectory === undefined) await addMigratedDatabase(dataDirectory)
  const child = spawn(process.execPath, [
    ...options.program ?? runtimeArguments(options.heapMibMax, options.preload),
    "start",
    ...options.args ?? ["--source", "none"],
  ], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...freePorts,
      WAVEPOSE_CLUSTER_PORT: "0",
      WAVEPOSE_ADMIN_PASSWORD: adminPassword,
      WAVEPOSE_RATE_LIMITS: "off",
      // No proxy has to notice a stop; the test of it sets a time.
      WAVEPOSE_STOP_NOTICE_SECONDS: "0",
      // What comes out must not depend on what else the machine does; tests of shedding turn it on.
      WAVEPOSE_SHEDDING: "off",
      // Off by default, because it is one more process per service; tests of the bridge turn it on.
      WAVEPOSE_BRIDGE: "off",
      WAVEPOSE_BRIDGE_PORT: "0",
      WAVEPOSE_DATA_DIR: dataDirectory,
      DATABASE_URL: "",
      ...options.env,
    },
  })
  let written = ""
  const output = () => written
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (bytes) => written += String(bytes))
  let asked = false
  const ended = new Promise<number | null>((resolve) =>
    child.once("exit", (code) => {
      if (!asked && code !== 0) console.error(`a service ended by itself with code ${code}:\n${written.slice(-4000)}`)
      resolve(code)
    })
  )
  const clean = () => {
    if (options.dataDirectory === undefined) rmSync(dataDirectory, { recursive: true, force: true })
  }
  await outputs(child, output, (text) => /"ready":"(datagrams|node)"/.test(text)).catch((error) => {
    clean()
    throw error
  })
  const url = (what: string): string => new RegExp(`"ready":"${what}","url":"([^"]*)"`).exec(written)?.[1] ?? ""
  const datagrams = new URL(url("datagrams") || "udp://127.0.0.1:0")
  return {
    pose: url("pose"),
    grpc: url("grpc").replace("grpc://", ""),
    home: url("home"),
    datagrams: { host: datagrams.hostname, port: Number(datagrams.port) },
    process: child,
    output,
    stop: async () => {
      asked = true
      interrupt(child)
      const code = await ended
      clean()
      return code
    },
    kill: async () => {
      asked = true
      child.kill("SIGKILL")
      await ended
      clean()
    },
  }
}

/** Interval of polling: the polled process needs the processor. */
const pollMs = 20

/** Polls at once and then every `pollMs` until the answer satisfies. The limit is the test's timeout. */
export const eventually = async <A>(
  ask: () => Promise<A>,
  holds: (answer: A) => boolean,
  timeoutMs = 20_000,
): Promise<A> => {
  const deadlineMs = performance.now() + timeoutMs
  let answer = await ask()
  if (holds(answer)) return answer
  for await (const _ of setInterval(pollMs)) {
    answer = await ask()
    if (holds(answer)) return answer
    if (performance.now() > deadlineMs) break
  }
  throw new Error(`it did not become true; last answer: ${JSON.stringify(answer)}`)
}

/** A client of the pose API with the administrator's token. */
export const signIn = async (service: TestService, password = adminPassword) => {
  const answer = await fetch(`${service.pose}/api/v1/auth/token?form=bare`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "admin", password }),
  })
  const { access_token: token } = await answer.json() as { access_token: string }
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${service.pose}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    // deno-lint-ignore no-explicit-any
    return { status: response.status, headers: response.headers, body: (text === "" ? null : JSON.parse(text)) as any }
  }
  return {
    token,
    get: (path: string) => call("GET", path),
    post: (path: string, body?: unknown) => call("POST", path, body),
    put: (path: string, body?: unknown) => call("PUT", path, body),
    delete: (path: string) => call("DELETE", path),
  }
}

/** The API of a service as a user who signed in has it. */
export type Api = Awaited<ReturnType<typeof signIn>>

/** Waits until a node that joins others has all of its shards, which it takes in parts. */
export const hasJoined = (service: TestService) =>
  eventually(() => Promise.resolve(/shards taken over/.test(service.output())), (taken) => taken, 60_000)
