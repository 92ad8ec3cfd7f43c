/**
 * How tests are run: two projects, which together are all of them.
 *
 * `pure` is arithmetic: what touches neither a process, a socket, a clock nor a file of its own, so its files share a worker.
 * `runtime` is the rest; each of its files has a process. On Node `npm test` leaves `pure` out unless it is asked for all (`deploy/launch.mjs`):
 * the engine is V8 on both.
 */
import { defineConfig } from "vitest/config"

/** Tests of pure rooms; those of the kernels load what a runtime brings. */
const pure = ["test/core/!(kernels)/**/*.test.ts", "test/sim/**/*.test.ts"]

export default defineConfig({
  test: {
    pool: "forks",
    // How fast a machine is asserts nothing: a test that hangs ends, one that is slow does not fail.
    testTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      { extends: true, test: { name: "runtime", include: ["test/**/*.test.ts"], exclude: pure } },
    ],
  },
})
