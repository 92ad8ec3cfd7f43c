/**
 * Denies a plugin what Deno runs without a permission: threads, what a thread could bypass, SQLite, whose temporary tables are files of any
 * size in the system's temporary folder, and the GPU, whose memory and time no report has.
 *
 * Threads of a plugin count in its budget and end with its process, so a gap here costs its budget only. Caches and storage are denied by
 * the folder that Deno gets for them (`plugin-channel.ts`), packages and remote modules by flags.
 */
import module from "node:module"
import process from "node:process"
import threads from "node:worker_threads"

const denied = /^(node:)?(worker_threads|cluster|child_process|inspector(\/promises)?|module|repl|sqlite|vm)$/

const deny = (what: string): never => {
  throw Object.assign(new Error(`A plugin may not use ${what}.`), { name: "NotCapable" })
}

export const denyThreads = (): void => {
  module.registerHooks({
    resolve: (specifier, context, next) => denied.test(specifier) ? deny(specifier) : next(specifier, context),
  })
  for (const holder of [threads, globalThis]) {
    Object.defineProperty(holder, "Worker", {
      value: function Worker() {
        deny("threads")
      },
      configurable: false,
    })
  }
  // These would lead around the hook.
  for (const name of ["registerHooks", "register", "createRequire"]) Reflect.deleteProperty(module, name)
  Object.defineProperty(process, "getBuiltinModule", { value: () => deny("getBuiltinModule"), configurable: false })
  Reflect.deleteProperty(Object.getPrototypeOf(navigator), "gpu")
  const runtime = (globalThis as { readonly Deno?: object }).Deno
  for (const name of ["kill", "addSignalListener"]) {
    if (runtime !== undefined) {
      Object.defineProperty(runtime, name, { value: () => deny("signals"), configurable: false })
    }
  }
}
