/** How long a test that calls WebGPU may take: a software adapter compiles each program when a machine first runs it, for minutes. */
export const compilingMs = 600_000
