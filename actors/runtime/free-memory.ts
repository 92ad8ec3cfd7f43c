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

/** Gives back what glibc keeps, in a few milliseconds. Other C libraries, and a process without the permission, keep it. */
export const trimMemory = (): void => {
  try {
    const library = (globalThis as Runtime).Deno?.dlopen("libc.so.6", {
      malloc_trim: { parameters: ["usize"], result: "i32" },
    })
    library?.symbols.malloc_trim(0)
    library?.close()
  } catch {
    // Nothing depends on it.
  }
}

/** Collects garbage first, which takes a tenth of a second or more. Without V8's option `--expose-gc`, it only trims. */
export const freeMemory = (): void => {
  ;(globalThis as Runtime).gc?.()
  trimMemory()
}
