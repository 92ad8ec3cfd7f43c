/**
 * How tests are run: five projects, which together are all of them.
 *
 * `pure` is arithmetic in seconds: the tests of the core. `rooms` simulates rooms and long series of inputs, which takes minutes. `parts`
 * tests what the service does above a runtime: contracts, actors, stores, routes and settings. The files of these three share a process per
 * core, which loads the modules once. `runtime` tests what a runtime brings (servers and sockets, gRPC, processes, threads, files, the
 * database's driver, kernels), and some of the journeys. `journeys` is the rest of those: a user's way through the whole service, which runs
 * as processes. Each file of the two has a process. On Node `npm test` runs `runtime` only, or all projects with `--all`
 * (`deploy/launcher/tests.mjs`): the engine is V8 on both, and the journeys in `runtime` use each protocol.
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

/** What runs above a runtime. `test/house.test.ts` rejects files that open sockets, processes or threads themselves. */
export const partTests = [
  "test/{egress,house}.test.ts",
  "test/actors/*.test.ts",
  "test/actors/home/{bus,entity,services,view}/*.test.ts",
  "test/actors/{archive,edge,environment,router,session,track,webhooks}/*.test.ts",
  "test/actors/runtime/{balance,local-calls,machine,membership,peer-leases,placement,supervision}.test.ts",
  "test/actors/store/database/{embedded-concurrency,lock-keeper,migrations,outage-log,placements,schema-version,store,version-guard}.test.ts",
  "test/actors/store/{accounts,encryption,events,history,home,reports,sensing,session,tracks}/*.test.ts",
  "test/gateways/{access,console,diagnosis,egress,frames,ingest}/!(connection-guard|send).test.ts",
  "test/gateways/datagrams/!(listener).test.ts",
  "test/gateways/home/{contract,template}/*.test.ts",
  "test/gateways/home/{outbox,parcels,past,rest-states,socket-commands,socket-subscriptions,trigger-watch,triggers}.test.ts",
  "test/gateways/bridge/routes.test.ts",
  "test/gateways/http/{request-fibers,route-table,uuid}.test.ts",
  "test/gateways/mqtt/!(publisher).test.ts",
  "test/gateways/pose/{account-life,alerts,all-environments,asyncapi,examples,lateness,openapi,rest,statuses}.test.ts",
  "test/gateways/pose/{routes,server}/*.test.ts",
  "test/gateways/pose/socket/{connection,outbox}.test.ts",
  "test/protocols/{domain,home-api,messages,pose-api}/*.test.ts",
  "test/protocols/grpc/!(dead-connections|deno-http2).test.ts",
  "test/deploy/{children,composition,estimation,inspect,plan-coverage,proto,settings}/*.test.ts",
  "test/deploy/command-line/documented.test.ts",
  "test/deploy/commands/progress-bar.test.ts",
  "test/deploy/source/{host-clock,ingest-lanes,ingest-nodes,ingest-trust,play,simulate}.test.ts",
]

/** Journeys by each protocol that the runtime brings: HTTP, WebSocket, TLS, gRPC, datagrams, plugins' processes, signals and files. */
const journeysOfRuntime = ["home-plugins", "restart", "simulated", "specification", "start", "tls"]

const journeys = [
  "test/{browser,contract,recordings}/**/*.test.ts",
  "test/cluster/!(failover).test.ts",
  "test/cluster/*/**/*.test.ts",
  "test/deploy/{cluster-simulation,eval,firmware,home-assistant}/**/*.test.ts",
  "test/deploy/deployment/{chart,container,image,observability,proxy,systemd}.test.ts",
  `test/e2e/!(${journeysOfRuntime.join("|")}).test.ts`,
]

export default defineConfig({
  test: {
    pool: "forks",
    // The speed of the machine is not asserted: the limit ends a test that hangs, and no test fails because it is slow.
    testTimeout: 60_000,
    // A service that is stopped after the tests writes what it holds first.
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "pure", include: core, exclude: rooms, isolate: false } },
      { extends: true, test: { name: "rooms", include: rooms, isolate: false } },
      { extends: true, test: { name: "parts", include: partTests, isolate: false } },
      {
        extends: true,
        test: {
          name: "runtime",
          include: ["test/**/*.test.ts"],
          exclude: [...core, ...rooms, ...partTests, ...journeys],
        },
      },
      { extends: true, test: { name: "journeys", include: journeys } },
    ],
  },
})
