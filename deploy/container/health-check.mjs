/**
 * The health check of the container: exits with 0 while the process serves its pose API, else with 1.
 */
import process from "node:process"

const port = process.env.WAVEPOSE_PORT || "8000"
const answer = await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => null)
process.exit(answer?.ok ? 0 : 1)
