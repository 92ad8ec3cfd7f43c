/**
 * The address of an MQTT broker in an operator's notation: `mqtt://user:password@host:1883`, or `mqtts://` for TLS.
 *
 * Invariant: logs and errors never contain the credentials.
 */
import { Redacted, Result } from "effect"
import { hostPort } from "../../protocols/domain/host-port.ts"

export interface BrokerAddress {
  readonly tls: boolean
  readonly host: string
  readonly port: number
  readonly username: string | null
  readonly password: Redacted.Redacted | null
}

const defaultPorts = { mqtt: 1883, mqtts: 8883 } as const

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Reads a broker's URL. Fails with a message that contains no part of the URL. */
export const readBrokerUrl = (text: string): Result.Result<BrokerAddress, string> => {
  const example = "Write it as mqtt://user:password@host:1883, or mqtts:// for TLS."
  const url = URL.parse(text)
  const protocol = url?.protocol.slice(0, -1)
  if (url === null || (protocol !== "mqtt" && protocol !== "mqtts")) {
    return Result.fail(`It is not an mqtt:// or mqtts:// URL. ${example}`)
  }
  if (url.hostname === "") return Result.fail(`It has no host. ${example}`)
  if ((url.pathname !== "" && url.pathname !== "/") || url.search !== "" || url.hash !== "") {
    return Result.fail(`It has more than a host and a port. ${example}`)
  }
  const username = decoded(url.username)
  const password = decoded(url.password)
  if (username === null || password === null) {
    return Result.fail("Its user name or password is not percent-encoded: write % as %25 and @ as %40.")
  }
  return Result.succeed({
    tls: protocol === "mqtts",
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? defaultPorts[protocol] : Number(url.port),
    username: username === "" ? null : username,
    password: password === "" ? null : Redacted.make(password),
  })
}

/** The address for logs. */
export const shownAddress = ({ host, port, tls }: BrokerAddress): string =>
  `${tls ? "mqtts" : "mqtt"}://${hostPort(host, port)}`
