/**
 * The tracks of an environment: the Track machines that it supervises, with their motion and existence.
 *
 * Boundary: numbers are `core/tracking`, the life of one track is `actors/track/machine.ts`; this file brings a hop's
 * detections to them. Pure but for its own state; ids are given by the caller and die with their track.
 *
 * Invariants: at most `tracksMax` tracks; a track's motion is at the moment that the last detections described.
 */
import type { Detection } from "../../core/imaging/matched-field.ts"
import { associate } from "../../core/tracking/association.ts"
import { initialExistence, updateExistence } from "../../core/tracking/existence.ts"
import { beginMotion, type MotionState, predictMotion, updateMotion } from "../../core/tracking/kalman.ts"
import { initialTransition, transition } from "xstate"
import { defaultTrackLimits, statusOf, trackMachine, type TrackSnapshot } from "../track/machine.ts"

/** Candidates that are followed at one time, tentative ones included. */
const tracksMax = 32

export interface Track {
  readonly id: number
  readonly snapshot: TrackSnapshot
  readonly motion: MotionState
  /** Probability that there is a person. */
  readonly existence: number
}

export interface Tracks {
  /** Brings in the detections of a moment `elapsedS` after the last one; answers all living tracks. */
  readonly step: (detections: ReadonlyArray<Detection>, elapsedS: number) => ReadonlyArray<Track>
  readonly current: () => ReadonlyArray<Track>
  readonly reset: () => void
}

const born = (detection: Detection, id: number): Track => ({
  id,
  snapshot: initialTransition(trackMachine, defaultTrackLimits)[0],
  motion: beginMotion(detection),
  existence: initialExistence,
})

const followed = (track: Track, detection: Detection | undefined): Track => ({
  id: track.id,
  snapshot: transition(trackMachine, track.snapshot, { type: detection === undefined ? "MISSED" : "MATCHED" })[0],
  motion: detection === undefined ? track.motion : updateMotion(track.motion, detection),
  existence: updateExistence(track.existence, detection !== undefined),
})

export const createTracks = (nextId: () => number): Tracks => {
  let tracks: ReadonlyArray<Track> = []
  return {
    step: (detections, elapsedS) => {
      const predicted = tracks.map((track) => ({ ...track, motion: predictMotion(track.motion, elapsedS) }))
      const { detectionOfTrack, newDetections } = associate(predicted.map(({ motion }) => motion), detections)
      const living = predicted.map((track, i) => {
        const at = detectionOfTrack[i]
        return followed(track, at === null || at === undefined ? undefined : detections[at])
      }).filter(({ snapshot }) => statusOf(snapshot) !== "ended")
      const newborn = newDetections.slice(0, tracksMax - living.length).map((i) => born(detections[i]!, nextId()))
      tracks = [...living, ...newborn]
      return tracks
    },
    current: () => tracks,
    reset: () => {
      tracks = []
    },
  }
}
