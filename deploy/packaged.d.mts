/** Folder of the package with the content of the cache of builds. */
export const prebuiltFolder: string

/** File in it with the hash of the whole. */
export const prebuiltId: string

/** Whether this folder of the project is a package that npm has installed. */
export const isInstalled: (folder: string) => boolean

/** Copies an installed package to where its sources can run, unless this was done before. Returns the folder of the copy. */
export const unpack: (installed: string) => string
