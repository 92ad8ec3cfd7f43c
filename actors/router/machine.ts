/**
 * The state of a router as a pure machine: whether packets arrive, and whether a calibration runs.
 *
 * Boundary: silence is measured on the actor's clock; `core/signal` evaluates the packets.
 */
import { assign, setup } from "xstate"

/** Silence after which a router is stale, and after which it is lost. */
export const staleAfterMs = 2_000
export const lostAfterMs = 30_000

type RouterEvent =
  | { readonly type: "PACKETS" }
  | { readonly type: "CALIBRATE" }
  | { readonly type: "CALIBRATED" }

export const routerMachine = setup({
  types: { context: {} as { readonly calibrating: boolean }, events: {} as RouterEvent },
  guards: { calibrating: ({ context }) => context.calibrating },
  actions: {
    beginCalibration: assign({ calibrating: true }),
    endCalibration: assign({ calibrating: false }),
    /** Asks the entity to end the hop that the last packets left open. */
    endLastHop: () => {},
  },
}).createMachine({
  id: "router",
  initial: "idle",
  context: { calibrating: false },
  on: {
    CALIBRATE: { actions: "beginCalibration" },
    CALIBRATED: { actions: "endCalibration" },
  },
  states: {
    /** No packet has arrived yet. */
    idle: {
      on: { PACKETS: [{ guard: "calibrating", target: "calibrating" }, { target: "streaming" }] },
    },
    /** Packets arrive, and a calibration runs. */
    calibrating: {
      after: { [staleAfterMs]: "stale" },
      on: {
        PACKETS: { target: "calibrating", reenter: true },
        CALIBRATED: { target: "streaming", actions: "endCalibration" },
      },
    },
    streaming: {
      after: { [staleAfterMs]: "stale" },
      on: {
        PACKETS: { target: "streaming", reenter: true },
        CALIBRATE: { target: "calibrating", actions: "beginCalibration" },
      },
    },
    stale: {
      entry: "endLastHop",
      after: { [lostAfterMs - staleAfterMs]: "lost" },
      on: { PACKETS: [{ guard: "calibrating", target: "calibrating" }, { target: "streaming" }] },
    },
    lost: {
      on: { PACKETS: [{ guard: "calibrating", target: "calibrating" }, { target: "streaming" }] },
    },
  },
})
