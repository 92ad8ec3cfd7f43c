/**
 * Whether a node leaves work out to stay in real time (`core/pace`).
 *
 * Without it nothing is left out: what comes out depends on the input alone, however slow the machine is.
 */
import { Context } from "effect"

export const KeepsPace = Context.Reference<boolean>("wavepose/protocols/KeepsPace", { defaultValue: () => false })
