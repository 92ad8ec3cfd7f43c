/**
 * A client of wavepose's pose API: REST and WebSocket, typed in both forms.
 */
export { type Client, type ClientOptions, createClient, passwordToken } from "./client.ts"
export { WaveposeError } from "./error.ts"
export type { Form, Schema } from "./form.ts"
export { type PoseFilters, poseStream, type PoseUpdate, type StreamOptions } from "./pose-stream.ts"

/** Version of the contract that the types are of. */
export { contractVersion } from "./generated/version.ts"
