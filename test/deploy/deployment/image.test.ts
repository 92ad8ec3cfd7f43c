/**
 * The content of the container image, put together without a registry as the container file does it, and run by its command: with the
 * production packages alone, from the bundle, with the shipped permissions. What is copied, removed and run is read from the container file.
 */
import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, dirname, join, matchesGlob } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { cacheFolder } from "../../../actors/runtime/cache-folder.ts"
import { buildService } from "../../../deploy/bundle/build.mjs"
import { buildConsole } from "../../../deploy/console/build.mjs"
import { root } from "../../harness/sources.ts"
import { runtimeArguments, signIn, startService } from "../../harness/service.ts"
import { textOf } from "./files.ts"

const dockerfile = textOf("deploy/container/Dockerfile").replace(/\\\n\s*/g, "")
const final = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "))
const app = realpathSync(mkdtempSync(join(tmpdir(), "wavepose-image-")))
afterAll(() => rmSync(app, { recursive: true, force: true }))

/** A command of the container file, in the folder of this image and with the program of this runtime. */
const commandOf = (pattern: RegExp): ReadonlyArray<string> =>
  (JSON.parse(pattern.exec(final)![1]!) as ReadonlyArray<string>).map((part) =>
    part.replace("/usr/local/bin/deno", process.execPath).replace("/app/", `${app}/`)
  )

/** Links the files of a tree, or copies them to another file system. */
const linkTree = (from: string, to: string, isKept: (name: string) => boolean): void => {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkTree(source, target, isKept)
    else if (isKept(entry.name)) {
      try {
        linkSync(source, target)
      } catch {
        copyFileSync(source, target)
      }
    }
  }
}

/** The installed packages that are not only for development, without what the container file removes. */
const linkPackages = (): void => {
  const removed = /rm -rf ([^&]+?) &&/.exec(dockerfile)![1]!.split(" ")
  const names = [...dockerfile.matchAll(/-name "(\*\.(?:map|d\.\w+))"/g)].map((match) => match[1]!)
  expect([removed.includes("node_modules/effect/src"), names.includes("*.d.ts")]).toEqual([true, true])
  const { packages } = JSON.parse(textOf("package-lock.json")) as {
    packages: Readonly<Record<string, { readonly dev?: boolean }>>
  }
  const production = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev).map(([path]) => path)
    // A package inside another one comes with it; one for another system is not installed.
    .filter((path) => path.lastIndexOf("node_modules/") === 0 && existsSync(join(root, path)))
    .filter((path) => !removed.some((folder) => path === folder || path.startsWith(`${folder}/`)))
  for (const path of production) {
    linkTree(join(root, path), join(app, path), (name) => !names.some((pattern) => matchesGlob(name, pattern)))
  }
  for (const path of removed) rmSync(join(app, path), { recursive: true, force: true })
}

/** Effect without comments and in ASCII. Its linked files are replaced, because those of this project must stay. */
const minifyEffect = async (): Promise<void> => {
  expect(dockerfile).toContain("esbuild --minify-whitespace --charset=ascii --outbase=node_modules/effect/dist")
  const dist = join(root, "node_modules", "effect", "dist")
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"))
  const target = join(app, "node_modules", "effect", "dist")
  for (const file of files) rmSync(join(target, file))
  const esbuild = createRequire(import.meta.url)("esbuild") as typeof import("esbuild")
  await esbuild.build({
    entryPoints: files.map((file) => join(dist, file)),
    outbase: dist,
    outdir: target,
    minifyWhitespace: true,
    charset: "ascii",
    logLevel: "error",
  })
  await esbuild.stop()
}

beforeAll(async () => {
  const prepared = spawnSync(process.execPath, ["run", "--quiet", "--allow-all", join(root, "deploy", "prepare.ts")])
  expect(prepared.status).toBe(0)
  await buildConsole()
  linkPackages()
  await minifyEffect()
  for (const [, paths] of final.matchAll(/^COPY (?!--)(.+) \S+$/gm)) {
    for (const path of paths!.split(" ")) cpSync(join(root, path), join(app, path), { recursive: true })
  }
  const program = commandOf(/^ENTRYPOINT (.+)$/m).at(-1)!
  cpSync(dirname(await buildService()), dirname(program), { recursive: true })
  const built = readdirSync(cacheFolder).filter((name) => /^(console|kernels-|database-)/.test(name))
  expect(built.length).toBeGreaterThanOrEqual(3)
  const cache = join(app, "node_modules", ".cache", basename(cacheFolder))
  for (const name of built) cpSync(join(cacheFolder, name), join(cache, name), { recursive: true })
}, 120_000)

it("starts as its command says, is ready and healthy, serves its console, and stops when it is asked to", async () => {
  const [, variables] = /^ENV WAVEPOSE_HOST=(.+)$/m.exec(final)!
  expect(variables).toContain("WAVEPOSE_DATA_DIR=/data")
  const [, ...entrypoint] = commandOf(/^ENTRYPOINT (.+)$/m)
  const [verb, ...args] = commandOf(/^CMD (\["start.+)$/m)
  expect([verb, entrypoint.filter((flag) => flag.startsWith("--allow-"))])
    .toEqual(["start", runtimeArguments().filter((flag) => flag.startsWith("--allow-"))])
  const service = await startService({
    args,
    program: entrypoint,
    dataDirectory: join(app, "data"),
    env: {
      DENO_DIR: join(app, ".deno"),
      DENO_V8_FLAGS: /DENO_V8_FLAGS=(\S+)/.exec(final)![1]!,
      WAVEPOSE_LOG_FORMAT: "json",
    },
  })
  try {
    expect((await fetch(`${service.pose}/health/ready`)).status).toBe(200)
    const [, ...check] = commandOf(/HEALTHCHECK .*CMD (.+)$/m)
    const env = { ...process.env, WAVEPOSE_PORT: new URL(service.pose).port }
    expect(spawnSync(process.execPath, check, { env }).status).toBe(0)
    // The native package of password hashes.
    const api = await signIn(service)
    expect((await api.get("/system/status")).body.status).toBe("running")
    expect(await (await fetch(service.pose)).text()).toContain('<script type="module"')
    const ended = new Promise((resolve) => service.process.once("exit", resolve))
    process.kill(service.process.pid!, /^STOPSIGNAL (\S+)$/m.exec(final)![1] as NodeJS.Signals)
    expect(await ended).toBe(0)
  } finally {
    await service.kill()
  }
}, 120_000)
