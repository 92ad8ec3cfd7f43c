/**
 * Settings of the edge: the privacy class of nodes, and the bridge.
 */
import { Layer, Redacted, Result, Schema } from "effect"
import {
  type PrivacyClass,
  privacyClasses,
  type PrivacyClassName,
  privacyClassNames,
} from "../../core/privacy/privacy-class.ts"
import { isLoopbackHost } from "../../gateways/access/loopback.ts"
import { Identifier } from "../../protocols/domain/site.ts"
import { PrivacyClasses } from "../../protocols/ports/privacy-classes.ts"
import { elementsOf, port, withDefault } from "./variables.ts"

/** The default privacy class, and the classes of named nodes. */
export interface NodeClasses {
  readonly standard: PrivacyClass
  readonly byNode: ReadonlyMap<string, PrivacyClass>
}

export interface EdgeSettings {
  readonly classes: NodeClasses
  /** Null: the bridge is off. */
  readonly bridge: BridgeSettings | null
}

interface BridgeSettings {
  readonly host: string
  readonly port: number
  /** Null: no token, which is allowed on loopback only. */
  readonly token: Redacted.Redacted | null
}

/** The variables, as fields of the schema of all settings. */
export const edgeVariables = {
  WAVEPOSE_PRIVACY_CLASS: withDefault(Schema.NonEmptyString, "anonymous"),
  WAVEPOSE_BRIDGE: withDefault(Schema.Literals(["on", "off"]), "on"),
  WAVEPOSE_BRIDGE_HOST: withDefault(Schema.NonEmptyString, "127.0.0.1"),
  WAVEPOSE_BRIDGE_PORT: port(8100),
  WAVEPOSE_BRIDGE_TOKEN: Schema.optionalKey(Schema.RedactedFromValue(Schema.NonEmptyString)),
} as const

const EdgeVariables = Schema.Struct(edgeVariables)

const isClassName = (text: string): text is PrivacyClassName =>
  (privacyClassNames as ReadonlyArray<string>).includes(text)
const isNodeId = Schema.is(Identifier)

/** Parses e.g. `anonymous,bedroom=restricted`. Fails with the reason. */
export const readNodeClasses = (text: string): Result.Result<NodeClasses, string> => {
  let standard: PrivacyClass = privacyClasses.anonymous
  const byNode = new Map<string, PrivacyClass>()
  for (const part of elementsOf(text)) {
    const [first = "", second] = part.split("=").map((one) => one.trim())
    const name = second ?? first
    if (!isClassName(name)) return Result.fail(`"${name}" is not one of ${privacyClassNames.join(", ")}`)
    if (second === undefined) standard = privacyClasses[name]
    else if (isNodeId(first)) byNode.set(first, privacyClasses[name])
    else return Result.fail(`"${first}" is not the id of a node`)
  }
  return Result.succeed({ standard, byNode })
}

/** The settings of these variables. Fails with a message that names the invalid one. */
export const edgeSettingsOf = (v: typeof EdgeVariables.Type): Result.Result<EdgeSettings, string> => {
  const classes = readNodeClasses(v.WAVEPOSE_PRIVACY_CLASS)
  if (Result.isFailure(classes)) return Result.fail(`WAVEPOSE_PRIVACY_CLASS cannot be read: ${classes.failure}.`)
  const token = v.WAVEPOSE_BRIDGE_TOKEN ?? null
  const host = v.WAVEPOSE_BRIDGE_HOST
  if (v.WAVEPOSE_BRIDGE === "on" && token === null && !isLoopbackHost(host)) {
    return Result.fail(
      `WAVEPOSE_BRIDGE_HOST is ${host}, which other machines can reach. Set WAVEPOSE_BRIDGE_TOKEN as well.`,
    )
  }
  const bridge = v.WAVEPOSE_BRIDGE === "off" ? null : { host, port: v.WAVEPOSE_BRIDGE_PORT, token }
  return Result.succeed({ classes: classes.success, bridge })
}

/** The privacy class of a node. */
export const classOf = ({ byNode, standard }: NodeClasses, nodeId: string): PrivacyClass =>
  byNode.get(nodeId) ?? standard

export const layerPrivacyClasses = (classes: NodeClasses): Layer.Layer<PrivacyClasses> =>
  Layer.succeed(PrivacyClasses, { of: (nodeId) => classOf(classes, nodeId) })
