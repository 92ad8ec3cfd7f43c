/** A page of metrics in a registry of its own: it writes values and omits nulls, because Prometheus has none. */
import { Context, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"

type Labels = Readonly<Record<string, string>>

export const createPage = () => {
  const registry = Context.make(Metric.MetricRegistry, new Map()) as Context.Context<never>
  const write = (
    make: (name: string, options: { description: string; attributes: Labels }) => Metric.Metric<number, unknown>,
  ) =>
  (name: string, description: string, value: number | null, attributes: Labels = {}): void => {
    if (value !== null) make(name, { description, attributes }).updateUnsafe(value, registry)
  }
  return {
    gauge: write((name, options) => Metric.gauge(name, options)),
    counter: write((name, options) => Metric.counter(name, options)),
    text: () => PrometheusMetrics.formatUnsafe(registry),
  }
}

export type Page = ReturnType<typeof createPage>
