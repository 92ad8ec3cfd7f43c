import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { readSettings } from "../../../deploy/settings/settings.ts"
import { defaultRules } from "../../../protocols/domain/rate-limit.ts"

const read = (environment: Record<string, string>) => Effect.runSync(readSettings(environment))
const refusal = (environment: Record<string, string>) => Effect.runSync(Effect.flip(readSettings(environment))).message

describe("settings", () => {
  it("have defaults, and an empty variable counts as not set", () => {
    expect(read({ WAVEPOSE_PORT: "", DATABASE_URL: "" })).toMatchObject({
      host: "127.0.0.1",
      port: 8000,
      grpcPort: 50051,
      udpPort: 5005,
      nexmonPort: 5500,
      databaseUrl: null,
      responseForm: "bare",
      roles: ["gateway", "sensing", "home"],
      grpcTls: null,
      kernels: "auto",
      clusterHost: "127.0.0.1",
      clusterListenHost: "127.0.0.1",
    })
  })

  it("give gRPC the certificate of HTTPS unless it has its own, and require a client certificate if there is an authority", () => {
    const https = { WAVEPOSE_TLS_CERT: "/cert.pem", WAVEPOSE_TLS_KEY: "/key.pem" }
    const files = { certFile: "/cert.pem", keyFile: "/key.pem", clientCaFile: null }
    expect(read(https).grpcTls).toEqual({ files, clients: "none" })
    const own = { WAVEPOSE_GRPC_TLS_CERT: "/own.pem", WAVEPOSE_GRPC_TLS_KEY: "/own-key.pem" }
    expect(read({ ...https, ...own }).grpcTls?.files).toMatchObject({ certFile: "/own.pem", keyFile: "/own-key.pem" })
    const authority = { ...https, WAVEPOSE_GRPC_CLIENT_CA: "/ca.pem" }
    expect(read(authority).grpcTls).toEqual({ files: { ...files, clientCaFile: "/ca.pem" }, clients: "required" })
    expect(read({ ...authority, WAVEPOSE_GRPC_CLIENT_CERTS: "optional" }).grpcTls?.clients).toBe("optional")
  })

  it("make the documents public unless they are switched off", () => {
    expect(read({}).publicDocuments).toBe(true)
    expect(read({ WAVEPOSE_PUBLIC_DOCS: "off" }).publicDocuments).toBe(false)
    expect(refusal({ WAVEPOSE_PUBLIC_DOCS: "no" })).toContain("WAVEPOSE_PUBLIC_DOCS")
  })

  it("never show a secret", () => {
    const settings = read({
      DATABASE_URL: "postgres://u:topsecret@h/d",
      WAVEPOSE_JWT_SECRET: "topsecret",
      WAVEPOSE_ENCRYPTION_KEY: "topsecret, older",
    })
    expect(settings.encryptionKeys.map(Redacted.value)).toEqual(["topsecret", "older"])
    expect(Redacted.value(settings.databaseUrl!)).toContain("topsecret")
    expect(JSON.stringify(settings)).not.toContain("topsecret")
    expect(String(settings.databaseUrl)).not.toContain("topsecret")
  })

  it("accept single roles only if another node can have the rest", () => {
    expect(read({ DATABASE_URL: "postgres://h/d", WAVEPOSE_ROLES: "sensing" }).roles).toEqual(["sensing"])
    expect(refusal({ WAVEPOSE_ROLES: "sensing" })).toContain("DATABASE_URL")
  })

  it("have the limits of the specification, which can be raised or switched off", () => {
    expect(read({}).limits).toEqual({ rules: defaultRules, connections: { perAddress: 100, perAccount: 10 } })
    const raised = read({
      WAVEPOSE_RATE_LIMIT_POSE_DATA: "5000",
      WAVEPOSE_RATE_LIMIT_MONITORING: "300",
      WAVEPOSE_RATE_LIMIT_CONNECTIONS_PER_ACCOUNT: "50",
    }).limits!
    expect(raised.rules).toEqual({
      ...defaultRules,
      "pose-data": { limit: 5000, windowS: 3600 },
      monitoring: { limit: 300, windowS: 1 },
    })
    expect(raised.connections).toEqual({ perAddress: 100, perAccount: 50 })
    expect(read({ WAVEPOSE_RATE_LIMITS: "off" }).limits).toBeNull()
    expect(read({ WAVEPOSE_RATE_LIMITS: "off" }).datagramsPerS).toBeNull()
    expect(read({ WAVEPOSE_RATE_LIMIT_DATAGRAMS: "300" }).datagramsPerS).toBe(300)
    expect(read({}).shedding).toBe(true)
    expect(read({ WAVEPOSE_SHEDDING: "off" }).shedding).toBe(false)
  })

  it("bound the connections of a listener", () => {
    expect(read({}).bounds).toEqual({ openMax: 4096, unauthenticatedMax: 3_072 })
    const given = { WAVEPOSE_CONNECTIONS_MAX: "100", WAVEPOSE_CONNECTIONS_UNAUTHENTICATED_MAX: "8" }
    expect(read(given).bounds).toEqual({ openMax: 100, unauthenticatedMax: 8 })
    expect(refusal({ WAVEPOSE_CONNECTIONS_MAX: "0" })).toContain("WAVEPOSE_CONNECTIONS_MAX")
  })

  it("accept proxies by address and network", () => {
    expect(read({}).trustedProxies).toEqual([])
    const trusted = read({ WAVEPOSE_TRUSTED_PROXIES: "10.0.0.0/8, ::1" }).trustedProxies
    expect(trusted).toEqual(["10.0.0.0/8", "::1"])
  })

  it("give proxies of a cluster three seconds to notice that a node stops, and stop a single node at once", () => {
    expect(read({}).stopNoticeS).toBe(0)
    expect(read({ DATABASE_URL: "postgres://h/d" }).stopNoticeS).toBe(3)
    expect(read({ DATABASE_URL: "postgres://h/d", WAVEPOSE_STOP_NOTICE_SECONDS: "0" }).stopNoticeS).toBe(0)
    expect(read({ WAVEPOSE_STOP_NOTICE_SECONDS: "2.5" }).stopNoticeS).toBe(2.5)
  })

  it("take origins of web pages that may call", () => {
    expect(read({}).origins).toEqual([])
    const { origins } = read({ WAVEPOSE_CORS_ORIGINS: "https://console.example/, http://localhost:5173" })
    expect(origins).toEqual(["https://console.example", "http://localhost:5173"])
  })

  it("take a budget of plugins, whose absent parts have defaults", () => {
    const { memoryMib, messagesPerS } = read({}).home.pluginBudget
    expect(read({ WAVEPOSE_PLUGIN_BUDGET: "cpu=0.5,disk=128,free=16" }).home.pluginBudget).toEqual({
      memoryMib,
      cpuCores: 0.5,
      diskMib: 128,
      diskFreeMib: 16,
      messagesPerS,
    })
  })

  it("take a collector of traces, and export nothing without one", () => {
    expect(read({ WAVEPOSE_TRACE_RATIO: "1" }).telemetry).toBeNull()
    expect(
      read({
        OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example/otlp/",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x,tenant=a=b",
      }).telemetry,
    ).toEqual({
      endpoint: "https://collector.example/otlp",
      headers: { authorization: "Bearer x", tenant: "a=b" },
      ratio: 0.01,
      metricsEveryMs: 60_000,
    })
  })

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, "OTEL_EXPORTER_OTLP_ENDPOINT"],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "secret" }, "OTEL_EXPORTER_OTLP_HEADERS"],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%zz" }, "write % as %25"],
    [{ WAVEPOSE_TRACE_RATIO: "2" }, "WAVEPOSE_TRACE_RATIO"],
    [{ OTEL_METRIC_EXPORT_INTERVAL: "10" }, "OTEL_METRIC_EXPORT_INTERVAL"],
    [{ WAVEPOSE_PLUGIN_BUDGET: "cpu=much" }, "WAVEPOSE_PLUGIN_BUDGET"],
    [{ WAVEPOSE_PLUGIN_BUDGET: "cpu=1,cores=2" }, "WAVEPOSE_PLUGIN_BUDGET"],
    [{ WAVEPOSE_TRUSTED_PROXIES: "proxy.example" }, "WAVEPOSE_TRUSTED_PROXIES"],
    [{ WAVEPOSE_CORS_ORIGINS: "*" }, "WAVEPOSE_CORS_ORIGINS"],
    [{ WAVEPOSE_CORS_ORIGINS: "https://a.example,b.example" }, "WAVEPOSE_CORS_ORIGINS"],
    [{ WAVEPOSE_RATE_LIMITS: "perhaps" }, "WAVEPOSE_RATE_LIMITS"],
    [{ WAVEPOSE_SHEDDING: "often" }, "WAVEPOSE_SHEDDING"],
    [{ WAVEPOSE_NICENESS: "-40" }, "WAVEPOSE_NICENESS"],
    [{ WAVEPOSE_NICENESS: "high" }, "WAVEPOSE_NICENESS"],
    [{ WAVEPOSE_RATE_LIMIT_HEALTH: "0" }, "WAVEPOSE_RATE_LIMIT_HEALTH"],
    [{ WAVEPOSE_STOP_NOTICE_SECONDS: "21" }, "WAVEPOSE_STOP_NOTICE_SECONDS"],
    [{ WAVEPOSE_STOP_NOTICE_SECONDS: "soon" }, "WAVEPOSE_STOP_NOTICE_SECONDS"],
    [{ WAVEPOSE_PORT: "99999" }, "WAVEPOSE_PORT"],
    [{ WAVEPOSE_PORT: "eighty" }, "WAVEPOSE_PORT"],
    [{ WAVEPOSE_ROLES: "everything" }, "WAVEPOSE_ROLES"],
    [{ WAVEPOSE_RESPONSE_FORM: "xml" }, "WAVEPOSE_RESPONSE_FORM"],
    [{ WAVEPOSE_KERNELS: "cuda" }, "WAVEPOSE_KERNELS"],
    [{ WAVEPOSE_GRPC_TLS_CERT: "/cert.pem" }, "WAVEPOSE_GRPC_TLS_KEY"],
    [{ WAVEPOSE_TLS_KEY: "/key.pem" }, "WAVEPOSE_TLS_CERT"],
    [{ WAVEPOSE_GRPC_CLIENT_CERTS: "optional" }, "WAVEPOSE_GRPC_CLIENT_CA"],
    [{ WAVEPOSE_GRPC_CLIENT_CA: "/ca.pem" }, "WAVEPOSE_TLS_CERT"],
  ])("are rejected by name: %o", (environment, name) => {
    expect(refusal(environment as Record<string, string>)).toContain(name)
  })

  it("are rejected in one sentence each, without their values", () => {
    expect(refusal({ WAVEPOSE_PORT: "eighty", WAVEPOSE_SHEDDING: "secret" })).toBe(
      "WAVEPOSE_PORT cannot be read: expected a value between 0 and 65535. " +
        'WAVEPOSE_SHEDDING cannot be read: expected "on" | "off". deploy/README.md describes the settings.',
    )
  })
})
