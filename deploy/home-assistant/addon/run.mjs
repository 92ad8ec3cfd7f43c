/**
 * Starts the service as a Home Assistant add-on: options of the add-on become settings, and the broker of the Supervisor the MQTT broker.
 *
 * The Supervisor gives /data to root. It becomes that of the image's user, as whom the service runs, with the permissions of the image.
 *
 * `run.mjs --print PERMISSIONS OPTIONS [BROKER]` prints the arguments and settings instead, from JSON texts.
 */
import { spawn } from "node:child_process"
import { lchownSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"

/** The user of the image, and its group. */
const imageUser = 10_001
const deno = "/usr/local/bin/deno"

/** The URL of a broker as the Supervisor describes it. */
const brokerUrl = ({ host, password, port, ssl, username }) => {
  const user = username ? `${encodeURIComponent(username)}:${encodeURIComponent(password ?? "")}@` : ""
  return `${ssl ? "mqtts" : "mqtt"}://${user}${host}:${port}`
}

/** Arguments and settings for these permissions and options, and a broker or null. */
const plan = (
  permissions,
  { admin_password, home_tokens = [], mqtt = true, mqtt_url, site, source = "simulated" },
  broker,
) => {
  const url = mqtt_url || (broker === null ? "" : brokerUrl(broker))
  return {
    args: [
      ...["run", "--quiet", "--config=/app/deno.json", "--no-prompt"],
      ...permissions.map((flag) => flag.replace("{deno}", deno)),
      ...["/app/prebuilt/service/image/main.mjs", "start"],
      ...(source === "none" ? ["--source", "none"] : []),
      ...(site ? ["--site", `/config/${site}`] : []),
    ],
    settings: {
      ...(admin_password ? { WAVEPOSE_ADMIN_PASSWORD: admin_password } : {}),
      ...(home_tokens.length > 0 ? { WAVEPOSE_HOME_TOKENS: home_tokens.join(",") } : {}),
      ...(mqtt && url !== "" ? { WAVEPOSE_MQTT_URL: url } : {}),
    },
  }
}

/** The broker of the Supervisor; null if it has none. */
const broker = async () => {
  const token = process.env.SUPERVISOR_TOKEN
  if (token === undefined) return null
  const response = await fetch("http://supervisor/services/mqtt", { headers: { authorization: `Bearer ${token}` } })
  return response.ok ? (await response.json()).data : null
}

/** Gives a folder and all in it to a user. */
const give = (path, user) => {
  lchownSync(path, user, user)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) give(child, user)
    else lchownSync(child, user, user)
  }
}

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"))

if (process.argv[2] === "--print") {
  const [permissions, options, given] = process.argv.slice(3).map((text) => JSON.parse(text))
  console.log(JSON.stringify(plan(permissions, options, given ?? null)))
} else {
  const { args, settings } = plan(
    readJson("/app/deploy/permissions.json"),
    readJson("/data/options.json"),
    await broker(),
  )
  give("/data", imageUser)
  // The service does not need the key of the Supervisor.
  const { SUPERVISOR_TOKEN: _, HASSIO_TOKEN: __, ...variables } = process.env
  const child = spawn(deno, args, {
    stdio: "inherit",
    env: { ...variables, ...settings },
    uid: imageUser,
    gid: imageUser,
  })
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code) => process.exit(code ?? 1))
}
