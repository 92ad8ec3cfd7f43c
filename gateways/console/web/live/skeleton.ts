/** How a skeleton is drawn: which of COCO's 17 keypoints are joined, and how certainty shows. */

const [nose, leftShoulder, rightShoulder, leftElbow, rightElbow, leftWrist, rightWrist] = [0, 5, 6, 7, 8, 9, 10]
const [leftHip, rightHip, leftKnee, rightKnee, leftAnkle, rightAnkle] = [11, 12, 13, 14, 15, 16]

interface Bone {
  readonly from: number
  readonly to: number
}

export const bones: ReadonlyArray<Bone> = [
  [leftShoulder, rightShoulder],
  [leftShoulder, leftElbow],
  [leftElbow, leftWrist],
  [rightShoulder, rightElbow],
  [rightElbow, rightWrist],
  [leftShoulder, leftHip],
  [rightShoulder, rightHip],
  [leftHip, rightHip],
  [leftHip, leftKnee],
  [leftKnee, leftAnkle],
  [rightHip, rightKnee],
  [rightKnee, rightAnkle],
].map(([from, to]) => ({ from: from!, to: to! }))

export const head = nose!

/** The certainty of a joint. */
interface Sureness {
  readonly sigmaM: number
  readonly observed: boolean | null
}

/** Where it is not known which joints are observed, a bone whose position is less sure than this is dashed, metres. */
const dashedSigmaM = 0.35

/** A bone is dashed if one of its joints is inferred from the rest of the body, not observed. */
export const isDashed = (...joints: ReadonlyArray<Sureness>): boolean =>
  joints.some(({ observed, sigmaM }) => observed === null ? sigmaM > dashedSigmaM : !observed)

/** Opacity by confidence: what is unsure fades and never vanishes. */
export const opacityOf = (confidence: number): number => 0.35 + 0.65 * Math.min(1, Math.max(0, confidence))

const lettersMax = 26

const nextLetter = (known: Map<number, string>): string => {
  if (known.size < lettersMax) return String.fromCharCode(65 + known.size)
  const [longestAgo, letter] = known.entries().next().value!
  known.delete(longestAgo)
  return letter
}

/**
 * The letter of a person, in the order in which this tab first saw them; it says nothing about identity.
 *
 * @param known the persons that have a letter, the one who was shown longest ago first; that one's letter is the next to be used again
 */
export const letterOf = (known: Map<number, string>, { id }: { readonly id: number }): string => {
  const letter = known.get(id) ?? nextLetter(known)
  known.delete(id)
  known.set(id, letter)
  return letter
}

/** A colour per person, of equal lightness. */
export const hueOf = (letter: string): number => (letter.charCodeAt(0) - 65) * 67 % 360
