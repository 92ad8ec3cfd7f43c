/**
 * Starts the service as a Home Assistant add-on: options of the add-on become settings, and the broker of the Supervisor the MQTT broker.
 *
 * `run.mjs --print OPTIONS [BROKER]` prints the arguments and settings instead, from two JSON texts.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import process from "node:process"

const program = [
  ...["run", "--quiet", "--config=/app/deno.json", "--no-prompt", "--allow-net", "--allow-read", "--allow-write"],
  ...["--allow-env", "--allow-sys", "--allow-ffi", "--allow-run", "/app/prebuilt/service/image/main.mjs"],
]

/** The URL of a broker as the Supervisor describes it. */
const brokerUrl = ({ host, password, port, ssl, username }) => {
  const user = username ? `${encodeURIComponent(username)}:${encodeURIComponent(password ?? "")}@` : ""
  return `${ssl ? "mqtts" : "mqtt"}://${user}${host}:${port}`
}

/** Arguments and settings for these options, and a broker or null. */
const plan = ({ admin_password, home_tokens = [], mqtt = true, mqtt_url, site, source = "simulated" }, broker) => {
  const url = mqtt_url || (broker === null ? "" : brokerUrl(broker))
  return {
    args: [
      "start",
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

if (process.argv[2] === "--print") {
  const [, , , options, given] = process.argv
  console.log(JSON.stringify(plan(JSON.parse(options), given === undefined ? null : JSON.parse(given))))
} else {
  const { args, settings } = plan(JSON.parse(readFileSync("/data/options.json", "utf8")), await broker())
  const child = spawn("deno", [...program, ...args], { stdio: "inherit", env: { ...process.env, ...settings } })
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code) => process.exit(code ?? 1))
}
