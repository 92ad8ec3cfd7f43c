/** Plays the stored frames of a minute on the plan and the stage of the live page, with a scrubber. */
import { type Signal, useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { FloorPlan } from "../live/floor-plan.tsx"
import { PersonsList } from "../live/persons-list.tsx"
import { SourceMark } from "../live/source-mark.tsx"
import { Stage } from "../live/stage.tsx"
import type { Environment } from "../service/types.ts"
import { nowMs } from "../state/clock.ts"
import { frameAt } from "../state/playback.ts"
import type { Received } from "../state/room.ts"
import { frameSummary } from "../state/room-summary.ts"
import { sceneOf } from "../state/scene.ts"
import { minuteText, secondText } from "../state/time-text.ts"
import { minuteMs } from "./history-range.ts"
import { loadMinute } from "./load-history.ts"
import { changed, type Playhead, positionAt, type Speed, speeds } from "./playhead.ts"

type Minute =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly reason: string }
  | { readonly state: "loaded"; readonly frames: ReadonlyArray<Received> }

/** Loads the frames of a minute. When they have come, the playhead is at their beginning. */
const useMinute = (environmentId: string, startMs: number, playhead: Signal<Playhead>): Minute => {
  const minute = useSignal<Minute>({ state: "loading" })
  useEffect(() => {
    let isWanted = true
    minute.value = { state: "loading" }
    loadMinute(environmentId, startMs).then(
      (frames) => {
        if (!isWanted) return
        const atMs = performance.now()
        playhead.value = changed(playhead.value, { positionMs: startMs }, atMs, startMs + minuteMs)
        minute.value = { state: "loaded", frames }
      },
      (cause: Error) => isWanted ? minute.value = { state: "failed", reason: cause.message } : undefined,
    )
    return () => {
      isWanted = false
    }
  }, [environmentId, startMs])
  return minute.value
}

const Controls = ({ endMs, playhead, startMs }: {
  readonly playhead: Signal<Playhead>
  readonly startMs: number
  readonly endMs: number
}) => {
  const positionMs = positionAt(playhead.value, nowMs.value, endMs)
  const change = (to: Partial<Omit<Playhead, "setAtMs">>): void => {
    playhead.value = changed(playhead.value, to, performance.now(), endMs)
  }
  const { isPlaying, speed } = playhead.value
  const toggle = (): void =>
    change(positionMs >= endMs ? { isPlaying: true, positionMs: startMs } : { isPlaying: !isPlaying })
  return (
    <div class="player">
      <button type="button" onClick={toggle}>{isPlaying ? "Pause" : "Play"}</button>
      <input
        type="range"
        aria-label="Position in the minute"
        aria-valuetext={secondText(positionMs)}
        min={0}
        max={endMs - startMs}
        step={100}
        value={positionMs - startMs}
        onInput={({ currentTarget }) => change({ positionMs: startMs + Number(currentTarget.value) })}
        onKeyDown={(event) => {
          if (event.key !== " ") return
          event.preventDefault()
          toggle()
        }}
      />
      <time>{secondText(positionMs)}</time>
      <label>
        Speed
        <select value={speed} onChange={({ currentTarget }) => change({ speed: Number(currentTarget.value) as Speed })}>
          {speeds.map((one) => <option key={one} value={one}>{`${one}x`}</option>)}
        </select>
      </label>
    </div>
  )
}

const Picture = ({ endMs, environment, frames, playhead }: {
  readonly environment: Environment
  readonly frames: ReadonlyArray<Received>
  readonly playhead: Signal<Playhead>
  readonly endMs: number
}) => {
  const letters = useRef(new Map<number, string>())
  const { geometry } = environment
  const sceneAt = (atMs: number) =>
    sceneOf({ frames, letters: letters.current, eventMs: positionAt(playhead.value, atMs, endMs), isGrey: false })
  const shown = frameAt(frames, positionAt(playhead.value, nowMs.value, endMs)) ?? frames[0]!
  const summary = frameSummary(shown)
  const { source } = shown.frame.data.metadata.provenance
  return (
    <>
      <p class="sentence">{summary.sentence}</p>
      {summary.reason !== null && <p class="reason">{summary.reason}</p>}
      {geometry !== null && (
        <div class={`views source-${source}`}>
          <FloorPlan environment={environment} geometry={geometry} sceneAt={sceneAt} />
          <Stage geometry={geometry} sceneAt={sceneAt} />
          <SourceMark source={source} />
        </div>
      )}
      <PersonsList letters={letters.current} persons={shown.frame.data.persons} />
    </>
  )
}

export const MinutePlayer = ({ environment, onEnded, startMs }: {
  readonly environment: Environment
  /** Start of the minute, epoch ms. */
  readonly startMs: number
  /** Called when the minute was played to its end. Returns whether another minute follows. */
  readonly onEnded: () => boolean
}) => {
  const playhead = useSignal<Playhead>({ positionMs: startMs, setAtMs: 0, speed: 1, isPlaying: false })
  const minute = useMinute(environment.environment_id, startMs, playhead)
  const endMs = startMs + minuteMs
  const hasEnded = minute.state === "loaded" && playhead.value.isPlaying &&
    positionAt(playhead.value, nowMs.value, endMs) >= endMs
  useEffect(() => {
    if (hasEnded && !onEnded()) playhead.value = { ...playhead.value, positionMs: endMs, isPlaying: false }
  }, [hasEnded])
  const isEmpty = minute.state === "loaded" && minute.frames.length === 0
  const source = minute.state === "loaded" ? minute.frames[0]?.frame.data.metadata.provenance.source : undefined
  return (
    <article class={`room source-${source ?? "none"}`} aria-labelledby="minute">
      <header>
        <h3 id="minute">{`${minuteText(startMs)} in ${environment.name}`}</h3>
        {source !== undefined && <span class={`chip chip-${source}`}>{source}</span>}
      </header>
      {minute.state === "loading" && <p role="status">Loading the frames…</p>}
      {minute.state === "failed" && <p class="fault" role="alert">{minute.reason}</p>}
      {isEmpty && <p class="reason">No frames were stored in this minute.</p>}
      {minute.state === "loaded" && !isEmpty && (
        <>
          <Controls playhead={playhead} startMs={startMs} endMs={endMs} />
          <Picture environment={environment} frames={minute.frames} playhead={playhead} endMs={endMs} />
        </>
      )}
    </article>
  )
}
