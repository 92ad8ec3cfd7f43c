/** The Helm chart names what the service and its image have. Rendered where Helm is installed. */
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { expect, it } from "vitest"
import { parseAllDocuments } from "yaml"
import { version } from "../../../deploy/composition/version.ts"
import { readSettings } from "../../../deploy/settings/settings.ts"
import { live, ready } from "../../../protocols/pose-api/probes.ts"
import { has, output, pathOf, textOf, unknownVariables, yamlOf } from "./files.ts"

const [chart] = yamlOf("deploy/chart/Chart.yaml")
const [values] = yamlOf("deploy/chart/values.yaml")
const templates = readdirSync(pathOf("deploy/chart/templates"))
const text = templates.map((name) => textOf(`deploy/chart/templates/${name}`)).join("\n")
const statefulSet = textOf("deploy/chart/templates/statefulset.yaml")
const settings = Effect.runSync(readSettings({}))

it("is of the version of the service", () => {
  expect(chart.appVersion).toBe(version)
})

it("uses only values that are declared, and declares only values that are used", () => {
  const used = new Set([...text.matchAll(/\.Values\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g)].map((match) => match[1]!))
  const valueAt = (path: string) => path.split(".").reduce((at, key) => at?.[key], values)
  expect([...used].filter((path) => valueAt(path) === undefined)).toEqual([])
  expect(Object.keys(values).filter((name) => ![...used].some((path) => path.split(".")[0] === name))).toEqual([])
})

it("sets only settings that exist", () => {
  expect(unknownVariables(text + JSON.stringify(values))).toEqual([])
})

it("probes what is served, on the default ports", () => {
  const probed = [
    ...statefulSet.matchAll(
      /(\w+Probe):\n\s+httpGet: \{ path: (\S+), port: pose, scheme: \{\{ include "wavepose.scheme" \. \}\} \}/g,
    ),
  ]
    .map(([, probe, path]) => [probe, path])
  expect(probed).toEqual([["startupProbe", live.path], ["livenessProbe", live.path], ["readinessProbe", ready.path]])
  const ports = [...statefulSet.matchAll(/name: (\w+), containerPort: (\d+)/g)].map(([, name, port]) => [name, port])
  const { clusterPort, grpcPort, home, nexmonPort, port, udpPort } = settings
  expect(Object.fromEntries(ports)).toEqual({
    pose: String(port),
    home: String(home.port),
    grpc: String(grpcPort),
    cluster: String(clusterPort),
    datagrams: String(udpPort),
    nexmon: String(nexmonPort),
  })
})

it("runs nodes without privileges, as the user of the image", () => {
  const [, user] = /^USER (\d+)/m.exec(textOf("deploy/container/Dockerfile"))!
  for (const line of [`runAsUser: ${user}`, "runAsNonRoot: true", "readOnlyRootFilesystem: true", "drop: [ALL]"]) {
    expect(statefulSet).toContain(line)
  }
})

it("probes over HTTPS and mounts the certificate where it is set", () => {
  expect(statefulSet.match(/\{\{- (?:if|with) \.Values\.tls\.secret \}\}/g)).toHaveLength(3)
  const { tls } = Effect.runSync(readSettings({ WAVEPOSE_TLS_CERT: "/tls/tls.crt", WAVEPOSE_TLS_KEY: "/tls/tls.key" }))
  for (const file of [tls!.certFile, tls!.keyFile]) expect(statefulSet).toContain(`value: ${file}\n`)
  expect(text).toContain('(hasKey .Values.settings "WAVEPOSE_TLS_CERT")')
})

it.skipIf(!has("helm"))("probes over HTTP without a certificate, and over HTTPS with one", () => {
  const render = (...more: ReadonlyArray<string>) =>
    output("helm", ["template", "home", pathOf("deploy/chart"), "--set", "existingSecret=x", ...more]).text
  expect(render().match(/scheme: HTTP\b/g)).toHaveLength(3)
  const secured = render("--set", "tls.secret=certificate")
  expect(secured.match(/scheme: HTTPS\b/g)).toHaveLength(3)
  expect(secured).toContain("secretName: certificate")
  expect(render("--set", "settings.WAVEPOSE_TLS_CERT=/a").match(/scheme: HTTPS\b/g)).toHaveLength(3)
})

it.skipIf(!has("helm"))("renders and passes the lint of Helm", () => {
  const set = ["databaseUrl", "adminPassword", "encryptionKey"].flatMap((name) => ["--set", `secret.${name}=x`])
  const args = [pathOf("deploy/chart"), ...set, "--set", "autoscaling.enabled=true"]
  expect(output("helm", ["lint", "--strict", ...args])).toMatchObject({ status: 0 })
  const { status, text: rendered } = output("helm", ["template", "home", ...args])
  expect(status, rendered).toBe(0)
  const kinds = parseAllDocuments(rendered).map((document) => document.toJS()?.kind).sort()
  expect(kinds).toEqual([
    "HorizontalPodAutoscaler",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "Secret",
    "Service",
    "Service",
    "StatefulSet",
  ])
})
