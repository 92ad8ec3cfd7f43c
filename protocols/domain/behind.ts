/**
 * Finds the cause when the newest frame of an environment is late, from measured values.
 *
 * The age of the frame has two parts: the age of the newest CSI that arrived at a router's actor, caused by its source, and the
 * rest, caused by the environment or the store that a frame waits for. The larger part names the cause. A live source
 * is the routers themselves; a simulation or a replay is a process. A delayed event loop delays both parts of its node, so the
 * processor is named if its delay can explain the lateness. Pure. All times are milliseconds.
 */
import { type Lateness, latenessOfAge } from "./lateness.ts"
import type { Source } from "./provenance.ts"

export const stages = ["source", "router", "environment", "store", "cpu"] as const
type Stage = typeof stages[number]

/** The measured values of a router of the environment. */
export interface RouterTiming {
  /** Time since its newest packet arrived; null before the first. */
  readonly silentMs: number | null
  /** Delay of its newest packet on arrival, corrected by the offset of its clock; null before the first. */
  readonly arrivalLagMs: number | null
}

/** The measured values of an environment and of the answering node. */
export interface Timing {
  readonly environmentId: string
  /** Age of the newest frame; null if the session has none. */
  readonly frameAgeMs: number | null
  /** Age of the newest observation in the environment; null before the first. */
  readonly observationAgeMs: number | null
  /** Frames that wait for the store. */
  readonly framesWaiting: number
  /** Source of the newest frame. */
  readonly source: Source | null
  /** The routers that answered. */
  readonly routers: ReadonlyArray<RouterTiming>
  readonly storeAnswers: boolean
  /** The longest recent delay of this node's event loop. */
  readonly loopLagMs: number
  /** Share of this machine's processors in use, 0..1; null when unknown. */
  readonly cpu: number | null
}

export interface Behind {
  readonly lateness: Exclude<Lateness, "on_time">
  readonly ageMs: number
  readonly stage: Stage
  /** What is wrong, as a sentence. */
  readonly finding: string
  /** The remedy, as a sentence. */
  readonly advice: string
}

/** An event loop with a longer delay has too little processor time. */
const loopLagMsMin = 500
/** Share of the processors in use above which the machine is busy. */
const busyShare = 0.9

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

interface Shares {
  /** Time since the newest CSI arrived, and its delay on arrival. */
  readonly silentMs: number
  readonly arrivalLagMs: number
  /** The rest of the age. */
  readonly environmentMs: number
}

/** The parts of the frame's age. If no router answered, the newest hop of the environment stands for the newest CSI. */
const sharesOf = (ageMs: number, { observationAgeMs, routers }: Timing): Shares => {
  const [newest] = routers
    .flatMap(({ arrivalLagMs, silentMs }) =>
      arrivalLagMs === null || silentMs === null ? [] : [{ arrivalLagMs, silentMs }]
    )
    .sort((a, b) => a.silentMs + a.arrivalLagMs - b.silentMs - b.arrivalLagMs)
  const silentMs = Math.min(ageMs, newest?.silentMs ?? observationAgeMs ?? ageMs)
  const arrivalLagMs = Math.min(ageMs - silentMs, Math.max(0, newest?.arrivalLagMs ?? 0))
  return { silentMs, arrivalLagMs, environmentMs: ageMs - silentMs - arrivalLagMs }
}

type Verdict = Pick<Behind, "stage" | "finding" | "advice">

const storeVerdict = ({ framesWaiting, storeAnswers }: Timing): Verdict => ({
  stage: "store",
  finding: `The store is behind: ${framesWaiting} frames wait to be stored${
    storeAnswers ? "" : ", and the database does not answer"
  }.`,
  advice: "Check the database and its disk: a frame is shown after it is stored.",
})

const cpuVerdict = ({ loopLagMs }: Timing): Verdict => ({
  stage: "cpu",
  finding: `The processor is behind: the event loop of this node was delayed by ${seconds(loopLagMs)}.`,
  advice:
    "Stop other programs on this machine, give it more processors, or distribute the environments over more nodes.",
})

const silentAdvice: Readonly<Record<Source, string>> = {
  simulated: "Check that the process of the simulator runs.",
  replay: "Start the replay again if it has ended; --loop repeats it.",
  live: "Check that the routers and their transmitters send, and the network between them and this service.",
}

const lagAdvice: Readonly<Record<Source, string>> = {
  simulated: "Choose a scenario with fewer routers and persons, or give the simulator more processor time.",
  replay: "Give the replay more processor time.",
  live: "Check the network between the routers and this service, and that the sender of their CSI keeps its pace.",
}

const sourceVerdict = ({ cpu, source }: Timing, { arrivalLagMs, silentMs }: Shares): Verdict => {
  const silent = silentMs >= arrivalLagMs
  const what = silent
    ? `no CSI has arrived for ${seconds(silentMs)}`
    : source === "simulated"
    ? `the simulator does not keep its pace, its CSI arrives ${seconds(arrivalLagMs)} late`
    : `CSI arrives ${seconds(arrivalLagMs)} late`
  const busy = cpu !== null && cpu >= busyShare
    ? ` The processors of this machine are ${Math.round(100 * cpu)} % busy.`
    : ""
  const live = source === null || source === "live"
  return {
    stage: live ? "router" : "source",
    finding: `${live ? "The routers are" : "The source is"} behind: ${what}.${busy}`,
    advice: (silent ? silentAdvice : lagAdvice)[source ?? "live"],
  }
}

const verdictOf = (timing: Timing, shares: Shares): Verdict => {
  const { arrivalLagMs, environmentMs, silentMs } = shares
  const { framesWaiting, loopLagMs, storeAnswers } = timing
  const sourceMs = silentMs + arrivalLagMs
  const storeWaits = framesWaiting > 1 || (framesWaiting > 0 && !storeAnswers)
  if (storeWaits && environmentMs >= sourceMs) return storeVerdict(timing)
  // A silence much longer than the delay is caused by the source.
  if (loopLagMs >= loopLagMsMin && silentMs <= 2 * loopLagMs) return cpuVerdict(timing)
  return sourceMs >= environmentMs ? sourceVerdict(timing, shares) : {
    stage: "environment",
    finding: `The environment is behind: its frames follow the CSI of its routers by ${seconds(environmentMs)}.`,
    advice: "Use fewer routers in this environment, or give its node more processor time.",
  }
}

/** The cause of lateness; null if the newest frame is on time, or if there is none. */
export const behindOf = (timing: Timing): Behind | null => {
  const { frameAgeMs: ageMs } = timing
  if (ageMs === null) return null
  const lateness = latenessOfAge(ageMs)
  return lateness === "on_time" ? null : { lateness, ageMs, ...verdictOf(timing, sharesOf(ageMs, timing)) }
}

/** The lateness of an environment as one text for health and status. */
export const behindText = (environmentId: string, { ageMs, finding, lateness }: Behind): string =>
  `The newest frame of environment ${environmentId} is ${seconds(ageMs)} old (${lateness}). ${finding}`
