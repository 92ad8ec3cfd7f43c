/**
 * The 24 parts of a body's surface, by DensePose's numbers (Gueler et al. 2018, "DensePose: Dense Human Pose Estimation
 * In The Wild").
 *
 * A limb has two parts, of which one is visible at a time or both share an edge: front and back, or for the arms the
 * inner side (of the bent elbow and the palm) and the outer one. The head has a right and a left half.
 */

export const partNames = [
  "torso",
  "right_hand",
  "left_hand",
  "left_foot",
  "right_foot",
  "right_upper_leg",
  "left_upper_leg",
  "right_lower_leg",
  "left_lower_leg",
  "left_upper_arm",
  "right_upper_arm",
  "left_lower_arm",
  "right_lower_arm",
  "head",
] as const

export type PartName = typeof partNames[number]

export const partSides = ["front", "back", "inner", "outer", "right", "left"] as const

export type PartSide = typeof partSides[number]

interface SurfacePart {
  /** 1 to 24; 0 is the background. */
  readonly id: number
  readonly name: PartName
  /** The half of the named part; null for a whole part. */
  readonly side: PartSide | null
}

const rows: ReadonlyArray<readonly [PartName, PartSide | null]> = [
  ["torso", "back"],
  ["torso", "front"],
  ["right_hand", null],
  ["left_hand", null],
  ["left_foot", null],
  ["right_foot", null],
  ["right_upper_leg", "back"],
  ["left_upper_leg", "back"],
  ["right_upper_leg", "front"],
  ["left_upper_leg", "front"],
  ["right_lower_leg", "back"],
  ["left_lower_leg", "back"],
  ["right_lower_leg", "front"],
  ["left_lower_leg", "front"],
  ["left_upper_arm", "inner"],
  ["right_upper_arm", "inner"],
  ["left_upper_arm", "outer"],
  ["right_upper_arm", "outer"],
  ["left_lower_arm", "inner"],
  ["right_lower_arm", "inner"],
  ["left_lower_arm", "outer"],
  ["right_lower_arm", "outer"],
  ["head", "right"],
  ["head", "left"],
]

/** All parts in the order of their ids. */
export const surfaceParts: ReadonlyArray<SurfacePart> = rows.map(([name, side], i) => ({ id: i + 1, name, side }))

/** The id of a part. Throws for a half that does not exist, which is a programming error. */
export const partId = (name: PartName, side: PartSide | null): number => {
  const part = surfaceParts.find((part) => part.name === name && part.side === side)
  if (part === undefined) throw new Error(`${name} has no side ${side}: see the table of surface parts.`)
  return part.id
}
