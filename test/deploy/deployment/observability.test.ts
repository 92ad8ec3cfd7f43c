/** The dashboard and the alert rules use only metrics that `/metrics` serves, and together all of them. */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { apiKey, type Gateway, startGateway } from "../../gateways/pose/harness.ts"
import { makeStatus } from "../../gateways/pose/world.ts"
import { root } from "../../harness/sources.ts"
import { has, output, pathOf, textOf, yamlOf } from "./files.ts"

const dashboard = JSON.parse(textOf("deploy/observability/dashboard.json"))
const [{ scrape_configs: [scraping] }] = yamlOf("deploy/observability/prometheus.yaml")
const [{ groups }] = yamlOf("deploy/observability/alerts.yaml")
// deno-lint-ignore no-explicit-any
const rules = groups.flatMap((group: any) => group.rules)
const expressions: ReadonlyArray<string> = [
  // deno-lint-ignore no-explicit-any
  ...dashboard.panels.flatMap((panel: any) => panel.targets.map((target: any) => target.expr)),
  // deno-lint-ignore no-explicit-any
  ...dashboard.templating.list.map((variable: any) => variable.query),
  // deno-lint-ignore no-explicit-any
  ...rules.map((rule: any) => rule.expr),
  textOf("deploy/chart/templates/availability.yaml"),
]
const used = new Set(expressions.flatMap((expression) => expression.match(/\b(?:wavepose|process)_[a-z0-9_]+/g) ?? []))

/** The metrics that the sources name where they write one. */
const written = new Set(
  globSync("{actors,gateways,deploy}/**/*.ts", { cwd: root }).flatMap((file) =>
    [
      ...readFileSync(join(root, file), "utf8").matchAll(
        /(?:\bpage|\bMetric)\.(?:counter|gauge|histogram)\(\s*"((?:wavepose|process)_[a-z0-9_]+)"/g,
      ),
    ].map((match) => match[1]!)
  ),
)
/** The metric of a series: those of a histogram end with a part of it. */
const metricOf = (series: string): string => written.has(series) ? series : series.replace(/_(bucket|sum|count)$/, "")

/** Metrics that neither a panel nor a rule needs, and why. */
const exceptions: Readonly<Record<string, string>> = {
  wavepose_frames_total: "the frames per second are shown, and its gaps say nothing about frames",
  process_start_time_seconds: "Prometheus finds restarts by its counters",
}

it("every metric that is served is in a panel or a rule, or is a stated exception", () => {
  expect(written.size).toBeGreaterThan(40)
  const mentioned = new Set([...used].map(metricOf))
  expect([...written].filter((name) => !mentioned.has(name) && !(name in exceptions))).toEqual([])
  expect(Object.keys(exceptions).filter((name) => !written.has(name) || mentioned.has(name))).toEqual([])
})

let gateway: Gateway | undefined
afterEach(async () => {
  await gateway?.stop()
  gateway = undefined
})

it("every metric of the dashboard, the alerts and the autoscaler is served", async () => {
  gateway = await startGateway()
  const { url, world } = gateway
  const [header] = Object.keys(scraping.http_headers)
  const scrape = async () => {
    const answer = await fetch(url + scraping.metrics_path, { headers: { [header!]: apiKey } })
    expect(answer.status).toBe(200)
    return new Set([...(await answer.text()).matchAll(/^([a-z][a-z0-9_]*)[ {]/gm)].map((match) => match[1]!))
  }
  world.describe = (id) => ({ ...makeStatus(id), inferenceTimeMs: 12 })
  world.kernels = { backend: "wasm", device: "128-bit SIMD", reason: "first to pass", skipped: [], lost: 0 }
  world.cluster = { members: [], shards: 1, acquired: 1, released: 0, lost: 0, refreshFailures: 0, refreshMs: 3 }
  const router = { frames: 1, droppedFrames: 1, lastDatagramMs: 0, lastDrop: null, lastReport: null, signed: null }
  world.datagrams.ruview = {
    ...world.datagrams.ruview,
    dropped: { shed: 1 },
    routers: [{ ...router, routerId: "r1", binOrder: null }],
    limitedSenders: [{ address: "10.0.0.9", datagrams: 1 }],
  }
  // The first scrape is the first request that is counted.
  await scrape()
  const served = await scrape()
  expect(used.size).toBeGreaterThan(20)
  // The share of the processor needs two measurements, half a second of processor time apart; nodes of a cluster write the others.
  const unserved =
    /^wavepose_(host_cpu_ratio|router_frames_shed_total|cluster_(balance_moves_total|(node|actor)_cores))$/
  expect([...used].filter((name) => !served.has(name) && !unserved.test(name))).toEqual([])
  expect([...used].filter((name) => !written.has(metricOf(name)))).toEqual([])
  // The other way round: the sources are read as they are written.
  expect([...served].map(metricOf).filter((name) => /^(wavepose|process)_/.test(name) && !written.has(name))).toEqual(
    [],
  )
})

it("every alert has a severity, a summary and an action", () => {
  for (const { alert, annotations, labels } of rules) {
    expect(labels.severity, alert).toMatch(/^(warning|critical)$/)
    expect(annotations, alert).toMatchObject({ summary: expect.any(String), action: expect.any(String) })
  }
})

/** What happens in an hour, as promtool reads it: the database fails after ten minutes, and the scrapes 15 minutes later. */
const outage = {
  rule_files: [pathOf("deploy/observability/alerts.yaml")],
  evaluation_interval: "15s",
  tests: [{
    interval: "1m",
    input_series: [
      { series: `wavepose_database_up{job="wavepose",instance="node-1:8000"}`, values: "1x9 0x14 stale" },
      { series: `up{job="wavepose",instance="node-1:8000"}`, values: "1x24 0x35" },
    ],
    alert_rule_test: [
      { eval_time: "9m", alertname: "DatabaseDown", exp_alerts: [] },
      ...["11m", "20m", "40m"].map((time) => ({
        eval_time: time,
        alertname: "DatabaseDown",
        exp_alerts: [{
          exp_labels: { severity: "critical", job: "wavepose", instance: "node-1:8000" },
          exp_annotations: rules.find(({ alert }: { alert: string }) => alert === "DatabaseDown").annotations,
        }],
      })),
    ],
  }],
}

/** Two nodes of a cluster that is stopped. Each reports all environments, and the routers of a stopped system do not stream. */
const quiet = {
  rule_files: [pathOf("deploy/observability/alerts.yaml")],
  evaluation_interval: "15s",
  tests: [{
    interval: "1m",
    input_series: ["node-1:8000", "node-2:8000"].flatMap((instance) => [
      { series: `wavepose_hops_shed_total{environment_id="a",stage="s",instance="${instance}"}`, values: "0+18x30" },
      { series: `wavepose_routers{environment_id="a",instance="${instance}"}`, values: "4x30" },
      { series: `wavepose_routers_streaming{environment_id="a",instance="${instance}"}`, values: "0x30" },
      { series: `wavepose_system_running{instance="${instance}"}`, values: "0x30" },
    ]),
    alert_rule_test: ["WorkShed", "RouterSilent"].map((alertname) => ({ eval_time: "25m", alertname, exp_alerts: [] })),
  }],
}

/** An environment that stops answering: its series end, except the one that says so. */
const silent = {
  rule_files: [pathOf("deploy/observability/alerts.yaml")],
  evaluation_interval: "15s",
  tests: [{
    interval: "1m",
    input_series: ["node-1:8000", "node-2:8000"].flatMap((instance) => [
      { series: `wavepose_environment_answers{environment_id="a",instance="${instance}"}`, values: "1x5 0x20" },
      { series: `wavepose_frames_late{environment_id="a",instance="${instance}"}`, values: "0x5 stale" },
    ]),
    alert_rule_test: [
      { eval_time: "5m", alertname: "EnvironmentSilent", exp_alerts: [] },
      {
        eval_time: "9m",
        alertname: "EnvironmentSilent",
        exp_alerts: [{
          exp_labels: { severity: "critical", environment_id: "a" },
          exp_annotations: {
            ...rules.find(({ alert }: { alert: string }) => alert === "EnvironmentSilent").annotations,
            summary: "Environment a does not answer",
          },
        }],
      },
    ],
  }],
}

it.skipIf(!has("promtool")).each([
  ["the alert of the database fires in an outage, and stays when scrapes fail", outage],
  ["a second node, or a system that was stopped, fires no alert", quiet],
  ["an environment that does not answer fires one of its own", silent],
])("%s", (_, cases) => {
  const folder = mkdtempSync(join(tmpdir(), "wavepose-alerts-"))
  const file = join(folder, "cases.json")
  const text = JSON.stringify(cases).replaceAll("{{ $labels.instance }}", "node-1:8000")
  writeFileSync(file, text)
  expect(output("promtool", ["test", "rules", file])).toMatchObject({ status: 0 })
  rmSync(folder, { recursive: true })
})

it("the alert of the database needs no series that ends with the outage", () => {
  const { expr } = rules.find(({ alert }: { alert: string }) => alert === "DatabaseDown")
  expect(expr).toBe("last_over_time(wavepose_database_up[1h]) == 0")
})

it.skipIf(!has("promtool"))("the alerts pass promtool", () => {
  expect(output("promtool", ["check", "rules", pathOf("deploy/observability/alerts.yaml")])).toMatchObject({
    status: 0,
  })
})
