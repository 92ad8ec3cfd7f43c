/** The port through which edge nodes read the privacy class that the operator set. */
import { Context } from "effect"
import type { PrivacyClass } from "../../core/privacy/privacy-class.ts"

export class PrivacyClasses extends Context.Service<PrivacyClasses, {
  readonly of: (nodeId: string) => PrivacyClass
}>()("wavepose/protocols/PrivacyClasses") {}
