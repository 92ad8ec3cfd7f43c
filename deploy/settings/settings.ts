/**
 * Settings: every environment variable of the service, read once, with its default.
 *
 * Boundary: the parts of the service do not read the process environment; they receive their settings as arguments. Commands that sign in to a
 * service read their credentials themselves (`service-client.ts`). Secrets are `Redacted`, so they do not appear in the log.
 */
import { Effect, Redacted, Result, Schema, SchemaIssue } from "effect"
import { type NodeRole, nodeRoles } from "../../actors/runtime/roles.ts"
import { identityPolicies, type IdentityPolicy } from "../../protocols/domain/node-identity.ts"
import type { WebhookTargets } from "../../protocols/domain/webhook.ts"
import { type EdgeSettings, edgeSettingsOf, edgeVariables } from "./edge-settings.ts"
import { type TelemetrySettings, telemetrySettingsOf, telemetryVariables } from "./telemetry-settings.ts"
import { type HomeSettings, homeSettingsOf, homeVariables } from "./home-settings.ts"
import { type BackendName, backendNames } from "../../protocols/ports/kernel-report.ts"
import { trustedProxies as readProxies } from "../../gateways/access/client-address.ts"
import { isOrigin, originsOf } from "../../gateways/http/cors.ts"
import { logFormats } from "./log.ts"
import { type MqttSettings, mqttSettingsOf, mqttVariables } from "./mqtt-settings.ts"
import { type ConnectionBounds, defaultConnectionBounds } from "../../gateways/access/connection-guard.ts"
import { type ConnectionLimits, defaultConnectionLimits } from "../../gateways/access/connection-limits.ts"
import { type GrpcTlsSettings, type TlsFiles, tlsSettingsOf, tlsVariables } from "./tls-settings.ts"
import { defaultRules, type RuleName, type Rules } from "../../protocols/domain/rate-limit.ts"
import { elementsOf, port, withDefault } from "./variables.ts"

/** An invalid setting. The message names the variable. */
export class InvalidSettings extends Schema.TaggedError<InvalidSettings>()("InvalidSettings", {
  message: Schema.String,
}) {}

const limit = (fallback: number) =>
  withDefault(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })),
    String(fallback),
  )
const secret = Schema.optionalKey(Schema.RedactedFromValue(Schema.NonEmptyString))
const Roles = Schema.String.check(Schema.isPattern(/^(gateway|sensing|home|all)(,(gateway|sensing|home|all))*$/))

/** A proxy that probes every two seconds has noticed by then that a node is not ready. */
const clusterNoticeS = 3

const IngestAddressSetting = Schema.String.check(Schema.isPattern(/^(auto|off|[^\s/]+:\d{1,5})$/))

const Variables = Schema.Struct({
  WAVEPOSE_HOST: withDefault(Schema.NonEmptyString, "127.0.0.1"),
  WAVEPOSE_PORT: port(8000),
  WAVEPOSE_GRPC_PORT: port(50051),
  WAVEPOSE_UDP_PORT: port(5005),
  WAVEPOSE_NEXMON_PORT: port(5500),
  WAVEPOSE_DATA_DIR: withDefault(Schema.NonEmptyString, ".wavepose"),
  DATABASE_URL: secret,
  WAVEPOSE_ADMIN_USERNAME: withDefault(Schema.NonEmptyString, "admin"),
  WAVEPOSE_ADMIN_PASSWORD: secret,
  WAVEPOSE_JWT_SECRET: secret,
  WAVEPOSE_ENCRYPTION_KEY: secret,
  WAVEPOSE_RESPONSE_FORM: withDefault(Schema.Literals(["bare", "envelope"]), "bare"),
  WAVEPOSE_ROLES: withDefault(Roles, "all"),
  ...tlsVariables,
  WAVEPOSE_CLUSTER_HOST: withDefault(Schema.NonEmptyString, "127.0.0.1"),
  WAVEPOSE_CLUSTER_LISTEN_HOST: Schema.optionalKey(Schema.NonEmptyString),
  WAVEPOSE_CLUSTER_PORT: port(50052),
  WAVEPOSE_STOP_NOTICE_SECONDS: Schema.optionalKey(
    Schema.NumberFromString.check(Schema.isBetween({ minimum: 0, maximum: 20 })),
  ),
  WAVEPOSE_INGEST_ADDRESS: withDefault(IngestAddressSetting, "auto"),
  WAVEPOSE_MODEL: Schema.optionalKey(Schema.NonEmptyString),
  WAVEPOSE_KERNELS: withDefault(Schema.Literals(["auto", ...backendNames]), "auto"),
  ...edgeVariables,
  ...mqttVariables,
  ...homeVariables,
  ...telemetryVariables,
  WAVEPOSE_NODE_IDENTITY: withDefault(Schema.Literals(identityPolicies), "open"),
  WAVEPOSE_WEBHOOK_TARGETS: withDefault(Schema.Literals(["public", "private"]), "public"),
  WAVEPOSE_TRUSTED_PROXIES: withDefault(Schema.String, ""),
  WAVEPOSE_CORS_ORIGINS: withDefault(Schema.String, ""),
  WAVEPOSE_PUBLIC_DOCS: withDefault(Schema.Literals(["on", "off"]), "on"),
  /** Only checked here: the launcher has used it before the service starts (`deploy/launcher/processor-share.mjs`). */
  WAVEPOSE_NICENESS: withDefault(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: -20, maximum: 19 })),
    "-7",
  ),
  WAVEPOSE_SHEDDING: withDefault(Schema.Literals(["on", "off"]), "on"),
  WAVEPOSE_RATE_LIMITS: withDefault(Schema.Literals(["on", "off"]), "on"),
  WAVEPOSE_RATE_LIMIT_REST: limit(defaultRules.rest.limit),
  WAVEPOSE_RATE_LIMIT_CONSOLE: limit(defaultRules.console.limit),
  WAVEPOSE_RATE_LIMIT_AUTHENTICATION: limit(defaultRules.authentication.limit),
  WAVEPOSE_RATE_LIMIT_POSE_DATA: limit(defaultRules["pose-data"].limit),
  WAVEPOSE_RATE_LIMIT_POSE_PROCESSING: limit(defaultRules["pose-processing"].limit),
  WAVEPOSE_RATE_LIMIT_CONFIGURATION: limit(defaultRules.configuration.limit),
  WAVEPOSE_RATE_LIMIT_ANALYTICS: limit(defaultRules.analytics.limit),
  WAVEPOSE_RATE_LIMIT_HEALTH: limit(defaultRules.health.limit),
  WAVEPOSE_RATE_LIMIT_MONITORING: limit(defaultRules.monitoring.limit),
  WAVEPOSE_RATE_LIMIT_DATAGRAMS: limit(2_000),
  WAVEPOSE_RATE_LIMIT_CONNECTIONS_PER_ADDRESS: limit(defaultConnectionLimits.perAddress),
  WAVEPOSE_RATE_LIMIT_CONNECTIONS_PER_ACCOUNT: limit(defaultConnectionLimits.perAccount),
  WAVEPOSE_CONNECTIONS_MAX: limit(defaultConnectionBounds.openMax),
  WAVEPOSE_CONNECTIONS_UNAUTHENTICATED_MAX: limit(defaultConnectionBounds.unauthenticatedMax),
  /** Only checked here: errors of settings are reported in this format, too (`logFormatOf`). */
  WAVEPOSE_LOG_FORMAT: withDefault(Schema.Literals(logFormats), "text"),
  WAVEPOSE_LOG_LEVEL: withDefault(Schema.Literals(["debug", "info", "warn", "error"]), "info"),
})

/** The names of all variables. */
export const settingNames: ReadonlyArray<string> = Object.keys(Variables.fields)

export interface Settings {
  readonly host: string
  readonly port: number
  readonly grpcPort: number
  readonly udpPort: number
  readonly nexmonPort: number
  readonly dataDirectory: string
  /** Null: the embedded database in the data folder. */
  readonly databaseUrl: Redacted.Redacted | null
  readonly adminUsername: string
  readonly adminPassword: Redacted.Redacted | null
  readonly jwtSecret: Redacted.Redacted | null
  /** Keys of encryption at rest, in base64. The first one encrypts. */
  readonly encryptionKeys: ReadonlyArray<Redacted.Redacted>
  readonly responseForm: "bare" | "envelope"
  readonly roles: ReadonlyArray<NodeRole>
  /** Certificate of the pose API, the home API and the bridge; null: plain text, for loopback or behind a proxy. */
  readonly tls: TlsFiles | null
  /** Certificate of the gRPC edge; null: plain text, for loopback or behind a proxy. */
  readonly grpcTls: GrpcTlsSettings | null
  /** Host at which other nodes reach this one. */
  readonly clusterHost: string
  readonly clusterListenHost: string
  readonly clusterPort: number
  /** Seconds for which a node that stops serves on without being ready. */
  readonly stopNoticeS: number
  /** Where senders of CSI reach the gRPC edge of this node: `host:port`, `auto` or `off`. */
  readonly ingestAddress: string
  /** File of the pose network's weights; null: the service's own. */
  readonly model: string | null
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: ReadonlyArray<string>
  /** Origins whose web pages may call the pose API and the bridge. */
  readonly origins: ReadonlyArray<string>
  /** Whether the documents of the pose API are public. */
  readonly publicDocuments: boolean
  /** Limits of a caller's requests and connections; null: no limits. */
  readonly limits: { readonly rules: Rules; readonly connections: ConnectionLimits } | null
  /** Datagrams a second that one sender may send; null: no limit. */
  readonly datagramsPerS: number | null
  /** Whether environments leave work out to stay in real time when the processor is short. */
  readonly shedding: boolean
  /** Maximum number of open connections of each listener. */
  readonly bounds: ConnectionBounds
  /** Backend of the kernels. */
  readonly kernels: "auto" | BackendName
  /** The privacy class of nodes, and the bridge. */
  readonly edge: EdgeSettings
  /** Null: MQTT is off. */
  readonly mqtt: MqttSettings | null
  /** The export of traces; null: none. */
  readonly telemetry: TelemetrySettings | null
  /** The home-automation API. */
  readonly home: HomeSettings
  /** Treatment of datagrams of unenrolled nodes. */
  readonly nodeIdentity: IdentityPolicy
  readonly webhookTargets: WebhookTargets
  readonly logLevel: "debug" | "info" | "warn" | "error"
}

/** The keys of a list, which is a secret. */
const keysOf = (list: Redacted.Redacted | undefined): ReadonlyArray<Redacted.Redacted> =>
  list === undefined ? [] : elementsOf(Redacted.value(list)).map((key) => Redacted.make(key))

/** The variables that replace the limit of a rule. */
const rulesOf = (limits: Readonly<Record<RuleName, number>>): Rules => {
  const entries = Object.entries(defaultRules).map((
    [name, rule],
  ) => [name, { ...rule, limit: limits[name as RuleName] }])
  return Object.fromEntries(entries) as Rules
}

const limitsOf = (v: typeof Variables.Type): Settings["limits"] =>
  v.WAVEPOSE_RATE_LIMITS === "off" ? null : {
    rules: rulesOf({
      rest: v.WAVEPOSE_RATE_LIMIT_REST,
      console: v.WAVEPOSE_RATE_LIMIT_CONSOLE,
      authentication: v.WAVEPOSE_RATE_LIMIT_AUTHENTICATION,
      "pose-data": v.WAVEPOSE_RATE_LIMIT_POSE_DATA,
      "pose-processing": v.WAVEPOSE_RATE_LIMIT_POSE_PROCESSING,
      configuration: v.WAVEPOSE_RATE_LIMIT_CONFIGURATION,
      analytics: v.WAVEPOSE_RATE_LIMIT_ANALYTICS,
      health: v.WAVEPOSE_RATE_LIMIT_HEALTH,
      monitoring: v.WAVEPOSE_RATE_LIMIT_MONITORING,
    }),
    connections: {
      perAddress: v.WAVEPOSE_RATE_LIMIT_CONNECTIONS_PER_ADDRESS,
      perAccount: v.WAVEPOSE_RATE_LIMIT_CONNECTIONS_PER_ACCOUNT,
    },
  }

/** The proxies of a list. */
const proxiesOf = (list: string): Effect.Effect<ReadonlyArray<string>, InvalidSettings> => {
  const entries = elementsOf(list)
  const read = readProxies(entries)
  return Result.isSuccess(read)
    ? Effect.succeed(entries)
    : Effect.fail(new InvalidSettings({ message: `WAVEPOSE_TRUSTED_PROXIES cannot be read: ${read.failure}.` }))
}

/** The origins of a list. */
const corsOriginsOf = (list: string): Effect.Effect<ReadonlyArray<string>, InvalidSettings> => {
  const origins = originsOf(list)
  const wrong = origins.find((origin) => !isOrigin(origin))
  if (wrong === undefined) return Effect.succeed(origins)
  return Effect.fail(
    new InvalidSettings({
      message: `WAVEPOSE_CORS_ORIGINS cannot be read: "${wrong}" is not an origin like https://console.example. ` +
        "Write scheme, host and port, without a path or a wildcard.",
    }),
  )
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Each variable that cannot be read, once. Values are left out: they may be secrets. */
const invalidText = (issue: SchemaIssue.Issue): string => {
  const wrong = new Map(issuesOf(issue).issues.map(({ message, path = [] }) => [String(path[0]), message]))
  const sentences = [...wrong].map(([name, message]) =>
    `${name} cannot be read: ${message.charAt(0).toLowerCase()}${message.slice(1)}.`
  )
  return `${sentences.join(" ")} deploy/README.md describes the settings.`
}

/** Reads the settings from environment variables. An empty variable counts as not set. */
export const readSettings = Effect.fnUntraced(function* (
  environment: Record<string, string | undefined>,
): Effect.fn.Return<Settings, InvalidSettings> {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  )
  const v = yield* Schema.decodeUnknownEffect(Variables)(present, { errors: "all" }).pipe(
    Effect.mapError(({ issue }) => new InvalidSettings({ message: invalidText(issue) })),
  )
  const named = v.WAVEPOSE_ROLES.split(",")
  const roles = named.includes("all") ? nodeRoles : nodeRoles.filter((role) => named.includes(role))
  if (v.DATABASE_URL === undefined && roles.length < nodeRoles.length) {
    return yield* new InvalidSettings({
      message: "WAVEPOSE_ROLES names only some roles, but the embedded database has no other node for the rest. " +
        "Set DATABASE_URL to a PostgreSQL, or unset WAVEPOSE_ROLES.",
    })
  }
  return {
    host: v.WAVEPOSE_HOST,
    port: v.WAVEPOSE_PORT,
    grpcPort: v.WAVEPOSE_GRPC_PORT,
    udpPort: v.WAVEPOSE_UDP_PORT,
    nexmonPort: v.WAVEPOSE_NEXMON_PORT,
    dataDirectory: v.WAVEPOSE_DATA_DIR,
    databaseUrl: v.DATABASE_URL ?? null,
    adminUsername: v.WAVEPOSE_ADMIN_USERNAME,
    adminPassword: v.WAVEPOSE_ADMIN_PASSWORD ?? null,
    jwtSecret: v.WAVEPOSE_JWT_SECRET ?? null,
    encryptionKeys: keysOf(v.WAVEPOSE_ENCRYPTION_KEY),
    responseForm: v.WAVEPOSE_RESPONSE_FORM,
    roles,
    ...yield* Effect.mapError(Effect.fromResult(tlsSettingsOf(v)), (message) => new InvalidSettings({ message })),
    clusterHost: v.WAVEPOSE_CLUSTER_HOST,
    clusterListenHost: v.WAVEPOSE_CLUSTER_LISTEN_HOST ?? v.WAVEPOSE_CLUSTER_HOST,
    clusterPort: v.WAVEPOSE_CLUSTER_PORT,
    stopNoticeS: v.WAVEPOSE_STOP_NOTICE_SECONDS ?? (v.DATABASE_URL === undefined ? 0 : clusterNoticeS),
    ingestAddress: v.WAVEPOSE_INGEST_ADDRESS,
    model: v.WAVEPOSE_MODEL ?? null,
    trustedProxies: yield* proxiesOf(v.WAVEPOSE_TRUSTED_PROXIES),
    origins: yield* corsOriginsOf(v.WAVEPOSE_CORS_ORIGINS),
    publicDocuments: v.WAVEPOSE_PUBLIC_DOCS === "on",
    limits: limitsOf(v),
    datagramsPerS: v.WAVEPOSE_RATE_LIMITS === "off" ? null : v.WAVEPOSE_RATE_LIMIT_DATAGRAMS,
    shedding: v.WAVEPOSE_SHEDDING === "on",
    bounds: { openMax: v.WAVEPOSE_CONNECTIONS_MAX, unauthenticatedMax: v.WAVEPOSE_CONNECTIONS_UNAUTHENTICATED_MAX },
    kernels: v.WAVEPOSE_KERNELS,
    edge: yield* Effect.mapError(
      Effect.fromResult(edgeSettingsOf(v)),
      (message) => new InvalidSettings({ message }),
    ),
    mqtt: yield* Effect.fromResult(mqttSettingsOf(v)).pipe(
      Effect.mapError((message) => new InvalidSettings({ message })),
    ),
    home: homeSettingsOf(v),
    telemetry: telemetrySettingsOf(v),
    nodeIdentity: v.WAVEPOSE_NODE_IDENTITY,
    webhookTargets: v.WAVEPOSE_WEBHOOK_TARGETS,
    logLevel: v.WAVEPOSE_LOG_LEVEL,
  }
})
