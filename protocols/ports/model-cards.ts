/**
 * The port through which edges read the cards of pose networks: what a network was trained on, and how good it is.
 */
import { Context, type Effect } from "effect"

export class ModelCards extends Context.Service<ModelCards, {
  /** The card of a version, Markdown; null if there is none. */
  readonly find: (modelVersion: string) => Effect.Effect<string | null>
}>()("wavepose/protocols/ModelCards") {}
