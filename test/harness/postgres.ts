/**
 * A PostgreSQL for tests: a container where Docker runs, else the machine's own `postgres`, else null.
 */
import { PostgreSqlContainer } from "@testcontainers/postgresql"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { chownSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const runFile = promisify(execFile)

export interface TestPostgres {
  readonly url: string
  readonly kind: "container" | "local"
  /** Ends it at once, with all connections (`pg_ctl stop -m immediate`); and starts it again, on the same port and data. */
  readonly crash: () => Promise<void>
  readonly start: () => Promise<void>
  /**
   * Starts a standby of it, which follows by streaming replication (`pg_basebackup`). A commit then waits for the standby. Null: in a container.
   */
  readonly startStandby: (() => Promise<TestStandby>) | null
  /** Its disk; null unless it was started with one of its own. */
  readonly disk: TestDisk | null
  readonly stop: () => Promise<void>
}

/** A standby, which takes over (`pg_promote`) when it is told. */
export interface TestStandby {
  readonly url: string
  readonly promote: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** A disk of a limited size. */
interface TestDisk {
  /** Leaves no byte free. */
  readonly fill: () => void
  /** Frees what was filled. */
  readonly free: () => void
}

/** Whether a database can have a disk of its own: a file system in memory, which root may mount. */
export const canMountDisk = (): boolean => userInfo().uid === 0 && existsSync("/usr/bin/mount")

/** A port that is free now. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    }).on("error", reject)
  })

const localBinaries = (): string | undefined => {
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(debian, version, "bin")).find((bin) => existsSync(join(bin, "postgres")))
}

/** Whether a database can have a standby. */
export const canMakeStandby = (): boolean => localBinaries() !== undefined

/** PostgreSQL does not run as root; Debian's package has its own user. */
const unprivileged = async (): Promise<{ uid?: number; gid?: number }> => {
  if (userInfo().uid !== 0) return {}
  const { stdout: uid } = await runFile("id", ["-u", "postgres"])
  const { stdout: gid } = await runFile("id", ["-g", "postgres"])
  return { uid: Number(uid), gid: Number(gid) }
}

const accepts = async (bin: string, port: number, server: ChildProcess): Promise<void> => {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (server.exitCode !== null) throw new Error(`postgres ended with code ${server.exitCode}`)
    // pg_isready waits by itself for the server to answer: no sleep is needed.
    const ready = await runFile(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port), "-t", "1"])
      .then(() => true, () => false)
    if (ready) return
  }
  throw new Error("postgres did not accept connections")
}

/** Mounts a disk of this size at a folder. Its write-ahead log must stay small then (`smallLog`). */
const mountDisk = async (directory: string, mib: number) => {
  await runFile("mount", ["-t", "tmpfs", "-o", `size=${mib}m`, "tmpfs", directory])
  const ballast = join(directory, "ballast")
  const chunks = [1 << 20, 1 << 12].map((bytes) => Buffer.alloc(bytes))
  const disk: TestDisk = {
    fill: () => {
      const file = openSync(ballast, "w")
      for (const chunk of chunks) {
        try {
          while (writeSync(file, chunk) === chunk.length);
        } catch (cause) {
          if ((cause as { code?: string }).code !== "ENOSPC") throw cause
        }
      }
      closeSync(file)
    },
    free: () => rmSync(ballast, { force: true }),
  }
  return { disk, unmount: () => runFile("umount", [directory]) }
}

const smallLog = ["-c", "min_wal_size=32MB", "-c", "max_wal_size=64MB"]

/** Starts the server of a data folder. */
const runServer = async (bin: string, directory: string, data: string, settings: ReadonlyArray<string> = []) => {
  const as = await unprivileged()
  const port = await freePort()
  const args = [
    "-D",
    data,
    "-p",
    String(port),
    "-k",
    directory,
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    "max_connections=200",
  ]
  const run = () => spawn(join(bin, "postgres"), [...args, ...settings], { ...as, cwd: directory, stdio: "ignore" })
  let server = run()
  const hasEnded = () => server.exitCode !== null || server.signalCode !== null
  await accepts(bin, port, server)
  return {
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    end: async (signal: NodeJS.Signals) => {
      if (hasEnded()) return
      const ended = new Promise((resolve) => server.once("exit", resolve))
      server.kill(signal)
      await ended
    },
    start: () => {
      if (hasEnded()) server = run()
      return accepts(bin, port, server)
    },
  }
}

/** A folder of the user that runs PostgreSQL. */
const makeFolder = async (diskMib?: number) => {
  const { gid, uid } = await unprivileged()
  const directory = mkdtempSync(join(tmpdir(), "wavepose-pg-"))
  const mounted = diskMib === undefined ? null : await mountDisk(directory, diskMib)
  if (uid !== undefined) chownSync(directory, uid, gid!)
  return { directory, mounted }
}

const startStandbyOf = async (bin: string, primary: { readonly port: number; readonly url: string }) => {
  const as = await unprivileged()
  const { directory } = await makeFolder()
  const data = join(directory, "data")
  const from = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "postgres"]
  await runFile(join(bin, "pg_basebackup"), [...from, "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"], {
    ...as,
    cwd: directory,
  })
  const server = await runServer(bin, directory, data)
  const ask = (url: string, statement: string) => runFile(join(bin, "psql"), [url, "-c", statement])
  // From here on no commit is answered that the standby does not have.
  await ask(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'")
  await ask(primary.url, "SELECT pg_reload_conf()")
  const standby: TestStandby = {
    url: server.url,
    promote: async () => void await ask(server.url, "SELECT pg_promote()"),
    stop: async () => {
      await server.end("SIGINT")
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return standby
}

const startLocal = async (diskMib?: number): Promise<TestPostgres | null> => {
  const bin = localBinaries()
  if (bin === undefined) return null
  const { directory, mounted } = await makeFolder(diskMib)
  const data = join(directory, "data")
  await runFile(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync"], {
    ...await unprivileged(),
    cwd: directory,
  })
  const server = await runServer(bin, directory, data, mounted === null ? [] : smallLog)
  return {
    url: server.url,
    kind: "local",
    crash: () => server.end("SIGQUIT"),
    start: server.start,
    startStandby: () => startStandbyOf(bin, server),
    disk: mounted?.disk ?? null,
    stop: async () => {
      await server.end("SIGINT")
      await mounted?.unmount()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const dockerRuns = (): Promise<boolean> => runFile("docker", ["info"], { timeout: 5_000 }).then(() => true, () => false)

/** Whether a PostgreSQL can be started here. */
export const hasPostgres = async (): Promise<boolean> => localBinaries() !== undefined || await dockerRuns()

/**
 * Starts a PostgreSQL, or returns null if neither Docker nor a local server is available.
 *
 * @param options.diskMib gives a local one a disk of its own; needs `canMountDisk`
 */
export const startPostgres = async (options: { readonly diskMib?: number } = {}): Promise<TestPostgres | null> => {
  if (!await dockerRuns()) return startLocal(options.diskMib)
  const container = await new PostgreSqlContainer("postgres:17").start()
  const inContainer = (command: "kill" | "start") =>
    runFile("docker", [command, container.getId()]).then(() => undefined)
  return {
    url: container.getConnectionUri(),
    kind: "container",
    crash: () => inContainer("kill"),
    start: () => inContainer("start"),
    startStandby: null,
    disk: null,
    stop: async () => void await container.stop(),
  }
}
