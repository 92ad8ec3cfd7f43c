/** A program and its arguments. */
export interface OpenCommand {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** The command that opens an address in the browser of a platform, named as in `process.platform`. */
export const openCommand: (platform: string, url: string) => OpenCommand
