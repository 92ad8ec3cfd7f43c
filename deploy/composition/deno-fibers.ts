/**
 * A mend for memory on Deno 2.9: every `AsyncResource` that is made stays in memory for ever.
 *
 * Effect makes one per fiber, to carry `AsyncLocalStorage` along, which nothing here uses; under 1,000 packets/s that is some
 * 4 MB a minute. Without the class at hand Effect does without. Imported first by the entry, before Effect is loaded; on
 * Node it does nothing. To be deleted when a soak with a limited heap passes without it.
 */
if ("Deno" in globalThis) {
  const builtin = process.getBuiltinModule.bind(process) as (id: string) => unknown
  process.getBuiltinModule = ((id: string) =>
    id === "node:async_hooks" ? undefined : builtin(id)) as typeof process.getBuiltinModule
}
