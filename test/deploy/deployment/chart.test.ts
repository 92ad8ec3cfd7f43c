/** The Helm chart names what the service and its image have. Rendered where Helm is installed. */
import { Effect } from "effect"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
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

/** A Helm that was built from source assumes an old Kubernetes. */
const kubernetes = ["--kube-version", "1.34.0"]
const render = (...more: ReadonlyArray<string>) =>
  output("helm", ["template", "home", pathOf("deploy/chart"), ...kubernetes, ...more])

it.skipIf(!has("helm"))("probes over HTTP without a certificate, and over HTTPS with one", () => {
  const ofOwnSecret = (...more: ReadonlyArray<string>) => render("--set", "existingSecret=x", ...more).text
  expect(ofOwnSecret().match(/scheme: HTTP\b/g)).toHaveLength(3)
  const secured = ofOwnSecret("--set", "tls.secret=certificate")
  expect(secured.match(/scheme: HTTPS\b/g)).toHaveLength(3)
  expect(secured).toContain("secretName: certificate")
  expect(ofOwnSecret("--set", "settings.WAVEPOSE_TLS_CERT=/a").match(/scheme: HTTPS\b/g)).toHaveLength(3)
})

/** What Gateways and meshes are told of the port of gRPC. */
const grpcProtocol = (...more: ReadonlyArray<string>) =>
  /name: grpc,.* appProtocol: (\S+)/.exec(render("--set", "existingSecret=x", ...more).text)![1]

it.skipIf(!has("helm"))("declares gRPC as clear text only where it has no certificate", () => {
  expect(grpcProtocol()).toBe("kubernetes.io/h2c")
  for (const set of ["tls.secret=certificate", "settings.WAVEPOSE_TLS_CERT=/a", "settings.WAVEPOSE_GRPC_TLS_CERT=/a"]) {
    expect(grpcProtocol("--set", set), set).toBe("https")
  }
  const secret = { WAVEPOSE_TLS_CERT: "/tls/tls.crt", WAVEPOSE_TLS_KEY: "/tls/tls.key" }
  expect(Effect.runSync(readSettings(secret)).grpcTls).not.toBeNull()
})

/** The only document of this kind in the chart as rendered with these values. */
const documentOf = (kind: string, values: object) => {
  const { text } = render(
    "--set",
    "existingSecret=x",
    ...Object.entries(values).flatMap(([name, value]) => [
      "--set-json",
      `${name}=${JSON.stringify(value)}`,
    ]),
  )
  const found = parseAllDocuments(text).map((document) => document.toJS()).filter((one) => one?.kind === kind)
  expect(found, text).toHaveLength(1)
  return found[0]
}

it.skipIf(!has("helm"))("lets nodes reach a collector of traces if there is one, and what the values add", () => {
  type Rule = { readonly ports: ReadonlyArray<{ readonly port: number }> }
  const egressOf = (values: object): ReadonlyArray<Rule> => documentOf("NetworkPolicy", values).spec.egress
  const ports = (values: object) => egressOf(values).flatMap((rule) => rule.ports.map(({ port }) => port))
  const usual = [53, 53, 5432, 443, 8883, 1883, 50052]
  expect(ports({})).toEqual(usual)
  const traced = { "settings.OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318" }
  expect(ports(traced).toSorted()).toEqual([...usual, 4317, 4318].toSorted())
  const rule = { to: [{ ipBlock: { cidr: "10.0.0.0/8" } }], ports: [{ port: 9000 }] }
  const more = { "networkPolicy.egressPorts": [{ port: 8443 }], "networkPolicy.egress": [rule] }
  expect(ports(more).toSorted()).toEqual([...usual, 8443, 9000].toSorted())
  expect(egressOf(more).at(-1)).toEqual(rule)
})

it.skipIf(!has("helm"))("scales on processor time in percent of what nodes request, not on the age of frames", () => {
  const scaled = { "autoscaling.enabled": true }
  const { metrics } = documentOf("HorizontalPodAutoscaler", scaled).spec
  const target = { type: "Utilization", averageUtilization: values.autoscaling.cpuPercentMax }
  expect(metrics).toEqual([{ type: "Resource", resource: { name: "cpu", target } }])
  const { containers } = documentOf("StatefulSet", scaled).spec.template.spec
  for (const { name, resources } of containers) expect(resources.requests.cpu, name).toBe(values.resources.requests.cpu)
  const { status, text } = render("--set-json", 'existingSecret="x",autoscaling.enabled=true,resources=null')
  expect(status).not.toBe(0)
  expect(text).toContain("autoscaling.enabled needs resources.requests.cpu")
})

it.skipIf(!has("helm"))("restarts nodes when the values of its Secret change", () => {
  const checksum = (adminPassword: string) => {
    const secret = { databaseUrl: "postgres://u:p@db/w", adminPassword, encryptionKey: "x" }
    const { text } = render("--set-json", `secret=${JSON.stringify(secret)}`)
    return /checksum\/secret: (\w{64})\n/.exec(text)![1]
  }
  expect(checksum("one")).toBe(checksum("one"))
  expect(checksum("two")).not.toBe(checksum("one"))
  expect(documentOf("StatefulSet", {}).spec.template.metadata.annotations).toBeUndefined()
})

it.skipIf(!has("helm"))("stops all nodes before an upgrade with the values that are documented", () => {
  const documented = textOf("docs/operating.md")
  for (const page of [documented, textOf("deploy/chart/templates/NOTES.txt")]) {
    expect(page).toMatch(/helm upgrade .* --set autoscaling\.enabled=false,replicas=0\n/)
    expect(page).toMatch(/kubectl wait .*--selector app\.kubernetes\.io\/instance=/)
  }
  const set = ["--set", "existingSecret=x,autoscaling.enabled=true", "--set", "autoscaling.enabled=false,replicas=0"]
  const documents = parseAllDocuments(render(...set).text).map((document) => document.toJS())
  expect(documents.find(({ kind }) => kind === "StatefulSet").spec.replicas).toBe(0)
  expect(documents.map(({ kind }) => kind)).not.toContain("HorizontalPodAutoscaler")
})

const always = ["PodDisruptionBudget", "Service", "Service", "StatefulSet"]

/** Installations: their values, and the kinds of objects beside `always`. */
const installations = {
  "a secret of its own": {
    values: { secret: { databaseUrl: "postgres://u:p@db/w", adminPassword: "x", encryptionKey: "x" } },
    kinds: ["NetworkPolicy", "Secret"],
  },
  "every option": {
    values: {
      existingSecret: "mine",
      autoscaling: { enabled: true },
      tls: { secret: "certificate" },
      dataVolume: { storageClass: "fast", size: "2Gi" },
      service: { type: "LoadBalancer" },
      networkPolicy: { egressPorts: [{ port: 8443 }], egress: [{ ports: [{ port: 9000 }] }] },
      settings: {
        WAVEPOSE_MQTT_URL: "mqtts://broker:8883",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
      },
    },
    kinds: ["HorizontalPodAutoscaler", "NetworkPolicy"],
  },
  "little": {
    values: {
      existingSecret: "mine",
      replicas: 5,
      networkPolicy: { enabled: false },
      resources: null,
      podDisruptionBudget: { maxUnavailable: "50%" },
    },
    kinds: [],
  },
}

describe.skipIf(!has("helm"))("with Helm", () => {
  const folder = mkdtempSync(join(tmpdir(), "wavepose-chart-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(Object.entries(installations))("renders and passes the lint, with %s", (name, { kinds, values }) => {
    const file = join(folder, `${name}.json`)
    writeFileSync(file, JSON.stringify(values))
    expect(output("helm", ["lint", "--strict", pathOf("deploy/chart"), "--values", file])).toMatchObject({ status: 0 })
    const { status, text: rendered } = render("--values", file)
    expect(status, rendered).toBe(0)
    writeFileSync(join(folder, `${name}.yaml`), rendered)
    const found = parseAllDocuments(rendered).map((document) => document.toJS()?.kind).sort()
    expect(found).toEqual([...always, ...kinds].toSorted())
  })

  it.skipIf(!has("kubernetes-validate"))("matches the schemas of Kubernetes", () => {
    const files = Object.keys(installations).map((name) => join(folder, `${name}.yaml`))
    expect(output("kubernetes-validate", ["--strict", ...files])).toMatchObject({ status: 0 })
  })
})
