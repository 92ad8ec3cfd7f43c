/** Metrics in a registry of their own: values are written, and nulls are omitted. */
import { Context, Metric } from "effect"

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
    counter: write((name, options) => Metric.counter(name, { ...options, incremental: true })),
    registry,
  }
}

export type Page = ReturnType<typeof createPage>
