/** Where builds are kept. */
export const consoleFolder: string

/** Builds the console unless it is built already; resolves to whether it was built now. */
export const buildConsole: () => Promise<boolean>
