/**
 * Workaround for a memory leak of Deno 2.9: no `AsyncResource` is ever freed.
 *
 * Effect creates one per fiber to carry `AsyncLocalStorage`, which this service does not use. At 1,000 packets/s that leaks about
 * 4 MB a minute. Effect works without the class, so this file hides it. The entry imports it first, before Effect is loaded. On
 * Node it does nothing. Delete it when a soak with a limited heap passes without it.
 */
if ("Deno" in globalThis) {
  const builtin = process.getBuiltinModule.bind(process) as (id: string) => unknown
  process.getBuiltinModule = ((id: string) =>
    id === "node:async_hooks" ? undefined : builtin(id)) as typeof process.getBuiltinModule
}
