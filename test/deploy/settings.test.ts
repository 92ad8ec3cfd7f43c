import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { readSettings } from "../../deploy/settings.ts"

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
      roles: ["gateway", "sensing"],
      grpcTls: null,
      kernels: "auto",
      clusterHost: "127.0.0.1",
      clusterListenHost: "127.0.0.1",
    })
  })

  it("never show a secret", () => {
    const settings = read({ DATABASE_URL: "postgres://u:topsecret@h/d", WAVEPOSE_JWT_SECRET: "topsecret" })
    expect(Redacted.value(settings.databaseUrl!)).toContain("topsecret")
    expect(JSON.stringify(settings)).not.toContain("topsecret")
    expect(String(settings.databaseUrl)).not.toContain("topsecret")
  })

  it("take roles only where another node can take the rest", () => {
    expect(read({ DATABASE_URL: "postgres://h/d", WAVEPOSE_ROLES: "sensing" }).roles).toEqual(["sensing"])
    expect(refusal({ WAVEPOSE_ROLES: "sensing" })).toContain("DATABASE_URL")
  })

  it.each([
    [{ WAVEPOSE_PORT: "99999" }, "WAVEPOSE_PORT"],
    [{ WAVEPOSE_PORT: "eighty" }, "WAVEPOSE_PORT"],
    [{ WAVEPOSE_ROLES: "everything" }, "WAVEPOSE_ROLES"],
    [{ WAVEPOSE_RESPONSE_FORM: "xml" }, "WAVEPOSE_RESPONSE_FORM"],
    [{ WAVEPOSE_KERNELS: "cuda" }, "WAVEPOSE_KERNELS"],
    [{ WAVEPOSE_GRPC_TLS_CERT: "/cert.pem" }, "WAVEPOSE_GRPC_TLS_KEY"],
  ])("are refused by name: %o", (environment, name) => {
    expect(refusal(environment as Record<string, string>)).toContain(name)
  })
})
