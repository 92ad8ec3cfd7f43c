/** The dashboard and the alert rules use only metrics that `/metrics` serves. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { apiKey, type Gateway, startGateway } from "../../gateways/pose/harness.ts"
import { makeStatus } from "../../gateways/pose/world.ts"
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
  // The first scrape is the first request that is counted.
  await scrape()
  const served = await scrape()
  expect(used.size).toBeGreaterThan(20)
  // The share of the processor needs two measurements, half a second of processor time apart.
  expect([...used].filter((name) => !served.has(name) && name !== "wavepose_host_cpu_ratio")).toEqual([])
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

it.skipIf(!has("promtool")).each([
  ["the alert of the database fires in an outage, and stays when scrapes fail", outage],
  ["a second node, or a system that was stopped, fires no alert", quiet],
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
