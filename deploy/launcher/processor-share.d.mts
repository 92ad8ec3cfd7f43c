/**
 * Gives the sessions of a process and of its children that run the same program a niceness, also those of later children, unless somebody gave
 * them another than the usual. The returned function ends this, and gives the session of this process the usual one again.
 */
export const setShare: (pid: number, program: string, niceness: number) => () => void
