/**
 * Builds the kernels' WebAssembly module ahead of the first start. Later starts, tests and benches find it, or build it again when a
 * source has changed; without it the service runs its kernels elsewhere, so a failure ends nothing.
 */
import { loadKernelModule } from "../actors/runtime/kernel-module.ts"

try {
  await loadKernelModule({ onBuild: () => console.error("wavepose: compiling the kernels (only the first time)") })
} catch (cause) {
  console.error(`wavepose: ${cause instanceof Error ? cause.message : cause}`)
}
