/**
 * The version of the service, from its package.
 */
import packageJson from "../../package.json" with { type: "json" }

export const version: string = packageJson.version
