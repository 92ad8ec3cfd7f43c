/**
 * The health check of the container: exits with 0 while the process serves its pose API, else with 1.
 */
import { get as getPlain } from "node:http"
import { get as getTls } from "node:https"
import process from "node:process"

const port = Number(process.env.WAVEPOSE_PORT || "8000")
const isTls = Boolean(process.env.WAVEPOSE_TLS_CERT)
const options = {
  host: "127.0.0.1",
  port,
  path: "/health/live",
  timeout: 5_000,
  // The certificate is for the name by which clients know the service, which is not this address.
  rejectUnauthorized: false,
}
const request = (isTls ? getTls : getPlain)(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
request.on("timeout", () => process.exit(1))
request.on("error", () => process.exit(1))
