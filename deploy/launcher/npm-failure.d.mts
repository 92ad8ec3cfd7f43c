/** One line that says why npm failed and what to do, from npm's last lines. */
export const npmFailure: (lines: ReadonlyArray<string>) => string
