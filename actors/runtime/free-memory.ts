/**
 * Gives memory that a thread no longer uses back to the system.
 *
 * A start leaves garbage behind: texts that were parsed, code that was compiled. V8 collects it when the heap has grown, which a service in its
 * steady state may not do for hours, and the C library keeps what is freed for itself.
 */

/** What the launcher's options of V8 provide, and the functions of libraries on Deno. */
interface Runtime {
  readonly gc?: () => void
  readonly Deno?: {
    readonly dlopen: (
      path: string,
      symbols: { readonly malloc_trim: { readonly parameters: readonly ["usize"]; readonly result: "i32" } },
    ) => { readonly symbols: { readonly malloc_trim: (pad: number) => number }; readonly close: () => void }
  }
}

/** Frees what glibc keeps. Other C libraries, and a process without the permission, keep it. */
const trim = ({ Deno: runtime }: Runtime): void => {
  try {
    const library = runtime?.dlopen("libc.so.6", { malloc_trim: { parameters: ["usize"], result: "i32" } })
    library?.symbols.malloc_trim(0)
    library?.close()
  } catch {
    // Nothing depends on it.
  }
}

/** Takes up to a tenth of a second. Without V8's option `--expose-gc`, only the C library's memory is given back. */
export const freeMemory = (): void => {
  const runtime = globalThis as Runtime
  runtime.gc?.()
  trim(runtime)
}
