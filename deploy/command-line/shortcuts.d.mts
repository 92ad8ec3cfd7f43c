/** Each shortcut and the noun and verb that it stands for. */
export const shortcuts: Readonly<Record<string, ReadonlyArray<string>>>

/** The arguments with their shortcut expanded. `help NOUN VERB` is `NOUN VERB --help`; no arguments are `start`. */
export const expandShortcut: (args: ReadonlyArray<string>) => ReadonlyArray<string>
