/**
 * Builds, before the first start, the files that a machine builds once: the WebAssembly module of the kernels and the template of an embedded
 * database. Later starts, tests and benches use them, and rebuild them when their sources have changed. The service also
 * works without them, so a failure is only reported.
 */
import { loadKernelModule } from "../actors/runtime/kernels/kernel-module.ts"
import { keepTemplate } from "../actors/store/database/embedded-template.ts"

const logStep = (what: string) => () => console.error(`wavepose: ${what} (only the first time)`)
const attempt = async (make: () => Promise<unknown>) => {
  try {
    await make()
  } catch (cause) {
    console.error(`wavepose: ${cause instanceof Error ? cause.message : cause}`)
  }
}

await attempt(() => loadKernelModule({ onBuild: logStep("compiling the kernels") }))
await attempt(() => keepTemplate({ onMake: logStep("making an empty database") }))
