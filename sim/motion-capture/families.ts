/**
 * The families of captured clips: for training, for choices between networks (validation), and held out for evaluation.
 *
 * Invariant: no person is in two families. `takes.json` assigns whole takes, and all takes of one person, to one family.
 */
import heldOutClips from "./clips/held-out.json" with { type: "json" }
import trainingClips from "./clips/training.json" with { type: "json" }
import validationClips from "./clips/validation.json" with { type: "json" }
import { type Clip, type EncodedClip, openClip } from "./clip.ts"

export const clipFamilies = ["training", "validation", "held-out"] as const
export type ClipFamily = typeof clipFamilies[number]

const encoded = { training: trainingClips, validation: validationClips, "held-out": heldOutClips } as Readonly<
  Record<ClipFamily, ReadonlyArray<EncodedClip>>
>

/** Names of the clips of a family. */
export const clipNames = (family: ClipFamily): ReadonlyArray<string> => encoded[family].map(({ name }) => name)

const opened = new Map<string, Clip>()

/** The clip of a name; null if there is none. */
export const clipOf = (name: string): Clip | null => {
  const known = opened.get(name)
  if (known !== undefined) return known
  const found = clipFamilies.flatMap((family) => encoded[family]).find((clip) => clip.name === name)
  if (found === undefined) return null
  const clip = openClip(found)
  opened.set(name, clip)
  return clip
}

/** Names of the clips of a family in which a person mostly walks, and forward. */
export const forwardWalks = (family: ClipFamily): ReadonlyArray<string> =>
  clipNames(family).filter((name) => clipOf(name)!.walksForward)
