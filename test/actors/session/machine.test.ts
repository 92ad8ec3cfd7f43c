import { describe, expect, it } from "vitest"
import { transition } from "xstate"
import { fromSession, type SessionEvent, sessionMachine, toSession } from "../../../actors/session/machine.ts"
import {
  defaultStartOptions,
  type Step,
  type SystemSession,
  type SystemStatusValue,
} from "../../../protocols/domain/system.ts"
import { checkTable } from "../../harness/machine-table.ts"

const step = (name: string, status: Step["status"] = "pending"): Step => ({ step: name, status, progress: 0 })

const at = (steps: ReadonlyArray<Step>) => (status: SystemStatusValue) =>
  fromSession({
    status,
    sessionId: "before",
    startedAtMs: 1,
    estimatedReadyMs: null,
    steps,
    options: defaultStartOptions,
    failure: null,
  })

const events = {
  START: { type: "START", sessionId: "new", options: defaultStartOptions, nowMs: 10, record: null },
  STOP: { type: "STOP", force: false, saveState: true, nowMs: 10 },
  FORCED_STOP: { type: "STOP", force: true, saveState: true, nowMs: 10 },
  RESTART: { type: "RESTART", sessionId: "new", options: defaultStartOptions, nowMs: 10 },
  CONFIGURE: { type: "CONFIGURE", options: { ...defaultStartOptions, domain: "retail" }, record: null },
  STEP_BEGUN: { type: "STEP_BEGUN", step: "a" },
  STEP_PROGRESSED: { type: "STEP_PROGRESSED", step: "a", progress: 0.5 },
  STEP_COMPLETED: { type: "STEP_COMPLETED", step: "a", nowMs: 10 },
  STEP_FAILED: { type: "STEP_FAILED", step: "a", reason: "because" },
} as const satisfies Record<string, SessionEvent>

type Row = Record<keyof typeof events, SystemStatusValue>

/** Settled states ignore the events of steps. */
const settled = (state: SystemStatusValue, moves: Pick<Row, "START" | "STOP" | "FORCED_STOP" | "RESTART">): Row => ({
  ...moves,
  CONFIGURE: state,
  STEP_BEGUN: state,
  STEP_PROGRESSED: state,
  STEP_COMPLETED: state,
  STEP_FAILED: state,
})

const table = (completed: (state: SystemStatusValue, done: SystemStatusValue) => SystemStatusValue) => {
  const underWay = (state: SystemStatusValue, done: SystemStatusValue, forced: SystemStatusValue): Row => ({
    START: state,
    STOP: state,
    FORCED_STOP: forced,
    RESTART: state,
    CONFIGURE: state,
    STEP_BEGUN: state,
    STEP_PROGRESSED: state,
    STEP_COMPLETED: completed(state, done),
    STEP_FAILED: "error",
  })
  return {
    stopped: settled("stopped", { START: "starting", STOP: "stopped", FORCED_STOP: "stopped", RESTART: "stopped" }),
    starting: underWay("starting", "running", "stopping"),
    running: settled("running", { START: "running", STOP: "stopping", FORCED_STOP: "stopping", RESTART: "restarting" }),
    stopping: underWay("stopping", "stopped", "stopping"),
    restarting: underWay("restarting", "running", "stopping"),
    error: settled("error", { START: "starting", STOP: "stopping", FORCED_STOP: "stopping", RESTART: "error" }),
  } satisfies Record<SystemStatusValue, Row>
}

describe("session machine", () => {
  it("makes the transitions of the table when the completed step is the last", () => {
    checkTable(sessionMachine, { at: at([step("a")]), events, table: table((_, done) => done) })
  })

  it("makes the transitions of the table when another step is left", () => {
    checkTable(sessionMachine, { at: at([step("a"), step("b")]), events, table: table((state) => state) })
  })

  it("plans the steps of a start, with a calibration on request", () => {
    const start = (calibrationRequired: boolean): SystemSession => {
      const options = { ...defaultStartOptions, calibrationRequired }
      const [snapshot, actions] = transition(sessionMachine, at([])("stopped"), { ...events.START, options })
      expect(actions.map((action) => action.type)).toContain("carryOutSteps")
      return toSession(snapshot)
    }
    expect(start(false).steps.map(({ step }) => step)).toEqual(["load_configuration", "start_environments"])
    expect(start(true).steps.map(({ step }) => step)).toEqual([
      "load_configuration",
      "calibrate_routers",
      "start_environments",
    ])
    expect(start(true)).toMatchObject({ status: "starting", sessionId: "new", startedAtMs: null })
  })

  it("saves the learned state of the channel only on request", () => {
    const steps = (saveState: boolean) =>
      toSession(transition(sessionMachine, at([])("running"), { ...events.STOP, saveState })[0]).steps
    expect(steps(true).map(({ step }) => step)).toEqual(["stop_environments", "save_state"])
    expect(steps(false).map(({ step }) => step)).toEqual(["stop_environments"])
  })

  it("plans a restart with a new session id and the steps of a stop and a start", () => {
    const session = toSession(transition(sessionMachine, at([])("running"), events.RESTART)[0])
    expect(session.sessionId).toBe("new")
    expect(session.steps.map(({ step }) => step)).toEqual([
      "stop_environments",
      "save_state",
      "load_configuration",
      "start_environments",
    ])
  })

  it("accepts other options except during a start or a restart, and changes nothing else", () => {
    for (const status of ["stopped", "running", "stopping", "error"] as const) {
      const before = at([step("a")])(status)
      const [configured, actions] = transition(sessionMachine, before, events.CONFIGURE)
      expect(toSession(configured)).toEqual({ ...toSession(before), options: events.CONFIGURE.options })
      expect(actions).toEqual([])
    }
    for (const status of ["starting", "restarting"] as const) expect(at([])(status).can(events.CONFIGURE)).toBe(false)
  })

  it("restarts with the given options", () => {
    const options = { ...defaultStartOptions, environmentId: "elsewhere", calibrationRequired: true }
    const session = toSession(transition(sessionMachine, at([])("running"), { ...events.RESTART, options })[0])
    expect(session.options).toEqual(options)
    expect(session.steps.map(({ step }) => step)).toContain("calibrate_routers")
  })

  it("restarts the steps of a stop when it is forced", () => {
    const hanging = at([{ step: "stop_environments", status: "in_progress", progress: 0.5 }])("stopping")
    expect(hanging.can(events.STOP)).toBe(false)
    const [snapshot, actions] = transition(sessionMachine, hanging, { ...events.FORCED_STOP, saveState: false })
    expect(actions.map((action) => action.type)).toContain("carryOutSteps")
    expect(toSession(snapshot)).toMatchObject({ status: "stopping", steps: [step("stop_environments")] })
  })

  it("records when it began to run, and the reason of a failure", () => {
    const [running] = transition(sessionMachine, at([step("a")])("starting"), events.STEP_COMPLETED)
    expect(toSession(running)).toMatchObject({ startedAtMs: 10, steps: [{ status: "completed", progress: 1 }] })
    const [failed] = transition(sessionMachine, at([step("a")])("starting"), events.STEP_FAILED)
    expect(toSession(failed)).toMatchObject({ failure: "because", steps: [{ status: "failed" }] })
  })

  it("is the same after it is saved and restored", () => {
    const saved = toSession(transition(sessionMachine, at([])("stopped"), events.START)[0])
    expect(toSession(fromSession(JSON.parse(JSON.stringify(saved))))).toEqual(saved)
  })
})
