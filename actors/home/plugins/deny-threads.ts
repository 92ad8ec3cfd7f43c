/**
 * Denies a plugin what Deno runs without a permission: threads, what a thread could bypass, SQLite, whose temporary tables are files of any
 * size in the system's temporary folder, and the GPU, whose memory and time no report has.
 *
 * Threads of a plugin count in its budget and end with its process, so a gap here costs its budget only. Caches and storage are denied by
 * the folder that Deno gets for them (`plugin-channel.ts`), packages and remote modules by flags.
 */
import module from "node:module"
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import threads from "node:worker_threads"

const denied = /^(node:)?(worker_threads|cluster|child_process|inspector(\/promises)?|module|repl|sqlite|vm)$/

const deny = (what: string): never => {
  throw Object.assign(new Error(`A plugin may not use ${what}.`), { name: "NotCapable" })
}

/** Denies the instances of a class, by whatever name a plugin has it: Deno calls the hook below for some imports only. */
const denyInstances = (of: object, what: string): void => {
  Object.setPrototypeOf(of, function Denied() {
    deny(what)
  })
  Object.preventExtensions(of)
}

export const denyThreads = (): void => {
  module.registerHooks({
    resolve: (specifier, context, next) => denied.test(specifier) ? deny(specifier) : next(specifier, context),
  })
  denyInstances(threads.Worker, "threads")
  denyInstances((globalThis as unknown as { readonly Worker: object }).Worker, "threads")
  // The methods are those of the class that it extends.
  for (let of = DatabaseSync.prototype; of !== Object.prototype; of = Object.getPrototypeOf(of)) {
    for (const name of Object.getOwnPropertyNames(of)) Reflect.deleteProperty(of, name)
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
