/** The image and the compose file name what the service has: its permissions, ports, settings, paths and packages. */
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { readSettings } from "../../../deploy/settings/settings.ts"
import { live, ready } from "../../../protocols/pose-api/probes.ts"
import { has, output, pathOf, pinnedImage, textOf, unknownVariables, yamlOf } from "./files.ts"

const dockerfile = textOf("deploy/container/Dockerfile")
const compose = textOf("deploy/container/compose.yaml")
const [services] = yamlOf("deploy/container/compose.yaml").map((document) => document.services)
const settings = Effect.runSync(readSettings({}))

describe("the image", () => {
  it("has base images of stated versions", () => {
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map((match) => match[1])
    expect(images.length).toBeGreaterThan(1)
    for (const image of images) expect(image).toMatch(pinnedImage)
  })

  it("runs as a user that is not root", () => {
    expect(/^USER (\d+):(\d+)$/m.exec(dockerfile)!.slice(1).map(Number).every((id) => id >= 1_000)).toBe(true)
  })

  it("gives Deno the permissions of the launcher", () => {
    const [, line] = /^ENTRYPOINT (.+)$/m.exec(dockerfile)!
    const flags = (JSON.parse(line!) as ReadonlyArray<string>).filter((flag) => flag.startsWith("--allow-"))
    const permissions: ReadonlyArray<string> = JSON.parse(textOf("deploy/permissions.json"))
    expect(flags).toEqual(permissions.map((flag) => flag.replace("{deno}", "/usr/local/bin/deno")))
  })

  it("runs the bundle, in a folder as deep below the sources as the one that it was built in; so does the add-on", () => {
    const [, line] = /^ENTRYPOINT (.+)$/m.exec(dockerfile)!
    const program = (JSON.parse(line!) as ReadonlyArray<string>).at(-1)!
    const folder = /^\/app\/(prebuilt\/service\/\w+)\/main\.mjs$/.exec(program)![1]!
    expect(dockerfile).toContain(`fs.renameSync(path.dirname(file), '${folder}')`)
    expect(dockerfile).toContain(`COPY --from=build /app/${folder} ./${folder}\n`)
    expect(dockerfile).toContain(`deno cache --quiet --config=deno.json ${folder}/main.mjs`)
    expect(textOf("deploy/home-assistant/addon/run.mjs")).toContain(`"${program}"`)
  })

  it("exposes the default ports, and sets only settings that exist", () => {
    const [, exposed] = /^EXPOSE (.+)$/m.exec(dockerfile)!
    const { clusterPort, grpcPort, home, nexmonPort, port, udpPort } = settings
    expect(exposed!.split(" ").sort()).toEqual(
      [...[port, home.port, grpcPort, clusterPort].map((tcp) => `${tcp}/tcp`), `${udpPort}/udp`, `${nexmonPort}/udp`]
        .sort(),
    )
    expect(unknownVariables(dockerfile)).toEqual([])
  })

  it("copies paths that exist and are not ignored", () => {
    const ignored = textOf(".dockerignore")
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap((match) => match[1]!.split(" "))
      .filter((path) => path !== ".")
    expect(copied).toContain("deploy")
    for (const path of copied) {
      expect(existsSync(pathOf(path)), path).toBe(true)
      expect(ignored).toContain(`!${path}\n`)
    }
  })

  it("is healthy while the liveness probe succeeds", () => {
    const [, script] = /"\/app\/(deploy\/container\/[\w.-]+)"\]/.exec(dockerfile)!
    expect(textOf(script!)).toContain(live.path)
  })

  it.skipIf(!has("hadolint"))("passes hadolint", () => {
    const files = ["deploy/container/Dockerfile", "deploy/home-assistant/addon/Dockerfile"]
    expect(output("hadolint", files.map(pathOf))).toEqual({ status: 0, text: "" })
  })
})

const variables = Object.fromEntries([...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => [name!, "x"]))

describe("the compose file", () => {
  it.skipIf(output("docker", ["compose", "version"]).status !== 0)("is read by Docker Compose", () => {
    const args = ["compose", "--file", pathOf("deploy/container/compose.yaml"), "config", "--quiet"]
    expect(output("docker", args, variables)).toEqual({ status: 0, text: "" })
    expect(output("docker", args).text).toContain("set POSTGRES_PASSWORD")
  })

  it("names images of stated versions, settings that exist, and files that exist", () => {
    for (const { image } of Object.values<{ image: string }>(services)) expect(image).toMatch(pinnedImage)
    expect(unknownVariables(compose)).toEqual([])
    const files = [...compose.matchAll(/- (\.\.?\/[^:]+):/g)].map((match) => match[1]!)
      // The operator makes this one.
      .filter((file) => file !== "./prometheus-api-key")
    expect(files.length).toBeGreaterThan(4)
    for (const file of files) expect(existsSync(pathOf(`deploy/container/${file}`)), file).toBe(true)
  })

  it("runs two nodes with a read-only root file system and without privileges", () => {
    for (const name of ["node-1", "node-2"]) {
      expect(services[name]).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        environment: { WAVEPOSE_CLUSTER_HOST: name, DATABASE_URL: expect.stringContaining("@database:5432/") },
      })
    }
  })

  it("has a proxy and a scraper that use the default ports and the readiness probe", () => {
    const proxy = textOf("deploy/container/Caddyfile")
    const targets = [...proxy.matchAll(/node-[12]:(\d+)/g)].map((match) => Number(match[1]))
    expect(new Set(targets)).toEqual(new Set([settings.port, settings.home.port, settings.grpcPort]))
    expect(proxy).toContain(`health_uri ${ready.path}\n`)
    const [{ scrape_configs }] = yamlOf("deploy/observability/prometheus.yaml")
    expect(scrape_configs[0].static_configs[0].targets).toEqual([1, 2].map((node) => `node-${node}:${settings.port}`))
  })
})
