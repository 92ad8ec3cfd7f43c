/** Builds the bundle of the service unless it is built already; resolves to the file to run. */
export const buildService: () => Promise<string>
