/**
 * The add-on of Home Assistant: its options, their descriptions, and the settings that they become.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../../harness/sources.ts"

const folder = join(root, "deploy/home-assistant/addon")
const read = (name: string): string => readFileSync(join(folder, name), "utf8")

/** The keys of the first level below a key of a YAML file. */
const keysBelow = (yaml: string, key: string): ReadonlyArray<string> => {
  const [, body = ""] = new RegExp(`^${key}:\\n((?:  .*\\n)*)`, "m").exec(yaml) ?? []
  return [...body.matchAll(/^ {2}([\w/]+):/gm)].map(([, name]) => name!)
}

const permissions = readFileSync(join(root, "deploy/permissions.json"), "utf8")
/** How the image runs the service. */
const [program, ...ofImage]: ReadonlyArray<string> = JSON.parse(
  /^ENTRYPOINT (.+)$/m.exec(readFileSync(join(root, "deploy/container/Dockerfile"), "utf8"))![1]!,
)

const planOf = (options: object, broker?: object) =>
  JSON.parse(execFileSync(process.execPath, [
    ...(process.execPath.endsWith("deno") ? ["run", "--allow-all"] : []),
    join(folder, "run.mjs"),
    "--print",
    permissions,
    JSON.stringify(options),
    ...(broker === undefined ? [] : [JSON.stringify(broker)]),
  ], { encoding: "utf8" }))

describe("the add-on", () => {
  it("describes each option and each port", () => {
    const config = read("config.yaml")
    const texts = read("translations/en.yaml")
    const options = keysBelow(config, "schema")
    expect(options.length).toBeGreaterThan(4)
    expect(keysBelow(texts, "configuration")).toEqual(options)
    expect(keysBelow(texts, "network")).toEqual(keysBelow(config, "ports"))
    expect(options).toEqual(expect.arrayContaining([...keysBelow(config, "options")]))
  })

  it("is stopped while its database is copied to a backup", () => {
    expect(read("config.yaml")).toMatch(/^backup: cold$/m)
  })

  it("has the version of the service", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    expect(read("config.yaml")).toContain(`\nversion: ${version}\n`)
    expect(read("Dockerfile")).toContain(`wavepose:${version}`)
  })

  it("runs the service with the permissions and as the user of the image, to whom it gives its data", () => {
    const [, user] = /^USER (\d+):\1$/m.exec(readFileSync(join(root, "deploy/container/Dockerfile"), "utf8"))!
    const script = read("run.mjs")
    expect(Number(/imageUser = ([\d_]+)/.exec(script)![1]!.replace("_", ""))).toBe(Number(user))
    expect(script).toMatch(
      /give\("\/data", imageUser\)[\s\S]*spawn\(deno, args, \{[\s\S]*uid: imageUser,\s+gid: imageUser/,
    )
    const deno = /deno = "(.+)"/.exec(script)![1]!
    expect(deno).toMatch(new RegExp(`/${program}$`))
    const [, entry] = /^ENTRYPOINT (.+)$/m.exec(read("Dockerfile"))!
    expect(JSON.parse(entry!)).toContain(`--allow-run=${deno}`)
    expect(entry).not.toMatch(/--allow-(all|run|write|read)"/)
  })

  it("starts a simulated home without MQTT by default", () => {
    expect(planOf({ source: "simulated", site: "", mqtt: true, admin_password: "", home_tokens: [] })).toEqual({
      args: [...ofImage, "start"],
      settings: {},
    })
  })

  it("uses the broker of Home Assistant, or the one of its options", () => {
    const broker = { host: "core-mosquitto", port: 1883, ssl: false, username: "addons", password: "a b" }
    expect(planOf({ mqtt: true }, broker).settings).toEqual({
      WAVEPOSE_MQTT_URL: "mqtt://addons:a%20b@core-mosquitto:1883",
    })
    expect(planOf({ mqtt: true, mqtt_url: "mqtts://other:8883" }, broker).settings).toEqual({
      WAVEPOSE_MQTT_URL: "mqtts://other:8883",
    })
    expect(planOf({ mqtt: false }, broker).settings).toEqual({})
  })

  it("passes a site, a password and tokens on", () => {
    expect(
      planOf({ source: "none", site: "flat.json", mqtt: false, admin_password: "secret", home_tokens: ["a", "b"] }),
    )
      .toEqual({
        args: [...ofImage, "start", "--source", "none", "--site", "/config/flat.json"],
        settings: { WAVEPOSE_ADMIN_PASSWORD: "secret", WAVEPOSE_HOME_TOKENS: "a,b" },
      })
  })
})
