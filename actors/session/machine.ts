/**
 * The life cycle of the estimation system as a pure machine: its states, their transitions, and the steps between them.
 *
 * Boundary: the machine decides; `session-actor.ts` saves each transition and `step-execution.ts` executes the steps. Its whole state is
 * `SystemSession`, so that a restarted process resumes where the previous one ended. Its options can change except during a start or a
 * restart, which read them.
 */
import { assign, setup, type SnapshotFrom } from "xstate"
import {
  defaultStartOptions,
  type StartOptions,
  type Step,
  type StepStatus,
  type SystemSession,
} from "../../protocols/domain/system.ts"
import type { ConfigurationRecord } from "../../protocols/ports/configuration.ts"

/** Seconds of an empty room that a calibration averages (sensing.md II.B.5). */
export const calibrationSeconds = 60

/**
 * Upper bound of each step's duration in milliseconds, from which answers estimate when the system is ready. A calibration takes
 * `calibrationSeconds` of packets; the other steps call actors or the store, with 5 s for each call.
 */
const stepAllowancesMs = {
  stop_environments: 5_000,
  save_state: 5_000,
  load_configuration: 5_000,
  calibrate_routers: calibrationSeconds * 1_000,
  start_environments: 5_000,
} as const

export type StepName = keyof typeof stepAllowancesMs

const startSteps = (options: StartOptions): ReadonlyArray<StepName> =>
  options.calibrationRequired
    ? ["load_configuration", "calibrate_routers", "start_environments"]
    : ["load_configuration", "start_environments"]
const stopSteps = (saveState: boolean): ReadonlyArray<StepName> =>
  saveState ? ["stop_environments", "save_state"] : ["stop_environments"]

const pending = (names: ReadonlyArray<StepName>): ReadonlyArray<Step> =>
  names.map((step) => ({ step, status: "pending", progress: 0 }))

const estimateMs = (names: ReadonlyArray<StepName>): number =>
  names.reduce((total, name) => total + stepAllowancesMs[name], 0)

export type SessionEvent =
  | {
    readonly type: "START"
    readonly sessionId: string
    readonly options: StartOptions
    readonly nowMs: number
    /** Saved together with the transition. */
    readonly record: ConfigurationRecord | null
  }
  | { readonly type: "STOP"; readonly force: boolean; readonly saveState: boolean; readonly nowMs: number }
  | {
    readonly type: "RESTART"
    readonly sessionId: string
    readonly options: StartOptions
    readonly nowMs: number
  }
  | { readonly type: "CONFIGURE"; readonly options: StartOptions; readonly record: ConfigurationRecord | null }
  | { readonly type: "STEP_BEGUN"; readonly step: string }
  | { readonly type: "STEP_PROGRESSED"; readonly step: string; readonly progress: number }
  | { readonly type: "STEP_COMPLETED"; readonly step: string; readonly nowMs: number }
  | { readonly type: "STEP_FAILED"; readonly step: string; readonly reason: string }

type SessionContext = Omit<SystemSession, "status">

const mark = (steps: ReadonlyArray<Step>, step: string, status: StepStatus, progress: number): ReadonlyArray<Step> =>
  steps.map((each) => each.step === step ? { step, status, progress } : each)

/** Whether all other steps are completed. */
const isLast = (steps: ReadonlyArray<Step>, step: string): boolean =>
  steps.every((each) => each.step === step || each.status === "completed")

const machineSetup = setup({
  types: { context: {} as SessionContext, events: {} as SessionEvent },
  guards: {
    forced: ({ event }) => event.type === "STOP" && event.force,
    lastStep: ({ context, event }) => event.type === "STEP_COMPLETED" && isLast(context.steps, event.step),
  },
  actions: {
    /** Requests the execution of the steps that are not completed. */
    carryOutSteps: () => {},
    planStart: assign(({ context, event }) => {
      if (event.type !== "START") return context
      const names = startSteps(event.options)
      return {
        sessionId: event.sessionId,
        startedAtMs: null,
        estimatedReadyMs: event.nowMs + estimateMs(names),
        steps: pending(names),
        options: event.options,
        failure: null,
      }
    }),
    planStop: assign(({ context, event }) => {
      if (event.type !== "STOP") return context
      const names = stopSteps(event.saveState)
      return { steps: pending(names), estimatedReadyMs: event.nowMs + estimateMs(names), failure: null }
    }),
    planRestart: assign(({ context, event }) => {
      if (event.type !== "RESTART") return context
      const names: ReadonlyArray<StepName> = [...stopSteps(true), ...startSteps(event.options)]
      return {
        sessionId: event.sessionId,
        startedAtMs: null,
        estimatedReadyMs: event.nowMs + estimateMs(names),
        steps: pending(names),
        options: event.options,
        failure: null,
      }
    }),
    takeOptions: assign(({ event }) => event.type === "CONFIGURE" ? { options: event.options } : {}),
    markStep: assign(({ context, event }) => {
      switch (event.type) {
        case "STEP_BEGUN":
          return { steps: mark(context.steps, event.step, "in_progress", 0) }
        case "STEP_PROGRESSED":
          return { steps: mark(context.steps, event.step, "in_progress", event.progress) }
        case "STEP_COMPLETED":
          return { steps: mark(context.steps, event.step, "completed", 1) }
        case "STEP_FAILED":
          return { steps: mark(context.steps, event.step, "failed", 0), failure: event.reason, estimatedReadyMs: null }
        default:
          return context
      }
    }),
    beginRun: assign(({ event }) =>
      event.type === "STEP_COMPLETED" ? { startedAtMs: event.nowMs, estimatedReadyMs: null } : {}
    ),
    endRun: assign({ startedAtMs: null, estimatedReadyMs: null }),
  },
})

const stepping = {
  STEP_BEGUN: { actions: "markStep" },
  STEP_PROGRESSED: { actions: "markStep" },
  STEP_FAILED: { target: "error", actions: "markStep" },
} as const

/** Shared by a start and a restart. */
const towardsRunning = {
  entry: "carryOutSteps",
  on: {
    ...stepping,
    STEP_COMPLETED: [
      { guard: "lastStep", target: "running", actions: ["markStep", "beginRun"] },
      { actions: "markStep" },
    ],
    STOP: { guard: "forced", target: "stopping", actions: "planStop" },
  },
} as const

/** The machine. Entering `starting`, `stopping` or `restarting` returns the action `carryOutSteps`. */
export const sessionMachine = machineSetup.createMachine({
  id: "session",
  initial: "stopped",
  context: {
    sessionId: null,
    startedAtMs: null,
    estimatedReadyMs: null,
    steps: [],
    options: defaultStartOptions,
    failure: null,
  },
  states: {
    stopped: {
      on: { START: { target: "starting", actions: "planStart" }, CONFIGURE: { actions: "takeOptions" } },
    },
    starting: towardsRunning,
    running: {
      on: {
        STOP: { target: "stopping", actions: "planStop" },
        RESTART: { target: "restarting", actions: "planRestart" },
        CONFIGURE: { actions: "takeOptions" },
      },
    },
    stopping: {
      entry: "carryOutSteps",
      on: {
        ...stepping,
        STEP_COMPLETED: [
          { guard: "lastStep", target: "stopped", actions: ["markStep", "endRun"] },
          { actions: "markStep" },
        ],
        // A forced stop restarts the steps of a stop that hangs.
        STOP: { guard: "forced", target: "stopping", reenter: true, actions: "planStop" },
        CONFIGURE: { actions: "takeOptions" },
      },
    },
    restarting: towardsRunning,
    error: {
      on: {
        START: { target: "starting", actions: "planStart" },
        STOP: { target: "stopping", actions: "planStop" },
        CONFIGURE: { actions: "takeOptions" },
      },
    },
  },
})

export type SessionSnapshot = SnapshotFrom<typeof sessionMachine>

/** The snapshot in the form that is saved and returned. */
export const toSession = (snapshot: SessionSnapshot): SystemSession => ({
  status: snapshot.value,
  ...snapshot.context,
})

/** The snapshot of a saved session. */
export const fromSession = ({ status, ...context }: SystemSession): SessionSnapshot =>
  sessionMachine.resolveState({ value: status, context })
