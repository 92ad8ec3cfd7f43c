/**
 * Traces of frames: one trace per sampled frame, with a span per stage from the router's batch to the node that serves clients.
 *
 * The id of a trace follows from the environment and the end of the hop. So each stage knows it, also on another node, and no message
 * carries it. Without a tracer nothing is measured.
 */
import { Clock, Context, Effect } from "effect"

export interface TracedFrame {
  readonly environmentId: string
  /** End of the frame's hop, event time, milliseconds since the Unix epoch. */
  readonly timestampMs: number
}

/**
 * `decode`: a router's batch is decoded; `reduce`: it is reduced to the hop's observation; `environment`: the hop is estimated; `archive`: the
 * frame is stored; `gateway`: it is handed to the clients of a node. `frame` is the whole, from the first stage until it is published.
 */
type TracedStage = "frame" | "decode" | "reduce" | "environment" | "archive" | "gateway"

type Attributes = Readonly<Record<string, string | number>>

/** A stage of a frame; times in nanoseconds since the Unix epoch. */
export interface FrameSpan {
  readonly stage: TracedStage
  /** Null: when the first stage of the frame on this node began. */
  readonly startNs: bigint | null
  readonly endNs: bigint
  readonly attributes: Attributes
}

export interface FrameTracer {
  readonly isSampled: (frame: TracedFrame) => boolean
  /** Takes a span of a sampled frame. Does not wait. */
  readonly add: (frame: TracedFrame, span: FrameSpan) => void
}

export const CurrentFrameTracer = Context.Reference<FrameTracer | null>("wavepose/protocols/FrameTracer", {
  defaultValue: () => null,
})

/** Adds the span of an effect that is a stage of a frame. */
export const traced = (
  tracer: FrameTracer | null,
  frame: TracedFrame,
  stage: TracedStage,
  attributes: Attributes = {},
) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  if (tracer === null || !tracer.isSampled(frame)) return effect
  return Effect.flatMap(
    Clock.currentTimeNanos,
    (startNs) =>
      Effect.onExit(
        effect,
        (exit) =>
          Effect.map(Clock.currentTimeNanos, (endNs) =>
            tracer.add(frame, { stage, startNs, endNs, attributes: { ...attributes, outcome: exit._tag } })),
      ),
  )
}
