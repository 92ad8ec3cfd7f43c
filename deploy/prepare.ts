/**
 * Makes ahead of the first start what a machine makes only once: the kernels' WebAssembly module, and the template of an embedded database.
 * Later starts, tests and benches find them, or make them again when what they were made from has changed; the service runs without
 * them, later or elsewhere, so a failure ends nothing.
 */
import { loadKernelModule } from "../actors/runtime/kernels/kernel-module.ts"
import { keepTemplate } from "../actors/store/database/embedded-template.ts"

const tell = (what: string) => () => console.error(`wavepose: ${what} (only the first time)`)
const attempt = async (make: () => Promise<unknown>) => {
  try {
    await make()
  } catch (cause) {
    console.error(`wavepose: ${cause instanceof Error ? cause.message : cause}`)
  }
}

await attempt(() => loadKernelModule({ onBuild: tell("compiling the kernels") }))
await attempt(() => keepTemplate({ onMake: tell("making an empty database") }))
