/**
 * How tests are run: four projects, which together are all of them.
 *
 * `pure` is arithmetic in seconds: the tests of the core. `rooms` simulates rooms and long series of inputs, which takes minutes. Neither
 * touches a process, a socket, a clock or a file of its own, so their files share a worker. `runtime` tests what a runtime brings, and some of
 * the journeys. `journeys` is the rest of those: a user's way through the whole service, which runs as processes. Each file of the
 * two has a process. On Node `npm test` runs `runtime` only, or all projects with `--all` (`deploy/launch.mjs`): the engine is V8 on both,
 * and the journeys in `runtime` use each protocol.
 */
import { defineConfig } from "vitest/config"

/** Tests of the core that simulate rooms, or that take more than two seconds. */
export const slowCoreTests = [
  "test/core/formats/fuzz.test.ts",
  "test/core/inspection/fuzz.test.ts",
  "test/core/signal/motion-statistic.test.ts",
  "test/core/vitals/breathing.test.ts",
  "test/core/vitals/presence-confidence.test.ts",
  "test/core/vitals/presence-scenes.test.ts",
]

const rooms = ["test/sim/**/*.test.ts", ...slowCoreTests]

/** Kernels are not among them: their tests load what a runtime brings. */
const core = ["test/core/!(kernels)/**/*.test.ts"]

/** Journeys by each protocol that the runtime brings: HTTP, WebSocket, TLS, gRPC, datagrams, plugins' processes, signals and files. */
const journeysOfRuntime = ["home-plugins", "restart", "simulated", "specification", "start", "tls"]

const journeys = [
  "test/{browser,contract,recordings}/**/*.test.ts",
  "test/cluster/!(failover).test.ts",
  "test/cluster/*/**/*.test.ts",
  "test/deploy/{cluster-simulation,eval}/**/*.test.ts",
  `test/e2e/!(${journeysOfRuntime.join("|")}).test.ts`,
]

export default defineConfig({
  test: {
    pool: "forks",
    // The speed of the machine is not asserted: the limit ends a test that hangs, and no test fails because it is slow.
    testTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "pure", include: core, exclude: rooms, isolate: false } },
      { extends: true, test: { name: "rooms", include: rooms, isolate: false } },
      {
        extends: true,
        test: { name: "runtime", include: ["test/**/*.test.ts"], exclude: [...core, ...rooms, ...journeys] },
      },
      { extends: true, test: { name: "journeys", include: journeys } },
    ],
  },
})
