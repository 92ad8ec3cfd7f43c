/**
 * Dense poses of a frame's persons: rendered at the first request, and once for all clients and forms.
 *
 * Boundary: the body and its rendering are in `core/pose`. This file applies them to a frame and encodes the pixels as PNG.
 */
import { encode } from "fast-png"
import { fitBody } from "../../core/pose/fitted-body.ts"
import { renderBody, type SurfacePicture } from "../../core/pose/render-body.ts"
import { windowOf } from "../../core/pose/view.ts"
import { once } from "../../core/math/once.ts"
import { visibleParts } from "../../core/pose/visible-parts.ts"
import type { DensePose, Person, PoseFrame } from "../../protocols/domain/pose.ts"

/** Higher levels save only a few bytes on such small pictures and take up to three times as long. */
const compression = { zlib: { level: 3 } } as const

const pngOf = ({ heightPx, widthPx }: SurfacePicture, data: Uint8Array, channels: 1 | 3): Uint8Array =>
  encode({ width: widthPx, height: heightPx, data, channels, depth: 8 }, compression)

const nothingOf = (reason: string): DensePose => ({ reason, bodyParts: [], pictures: null })

const render = ({ boundingBox, keypoints3d }: Person, view: NonNullable<PoseFrame["view"]>): DensePose => {
  const body = fitBody(keypoints3d)
  if (body === null) return nothingOf("The person lacks some of the 17 keypoints to which a body is fitted.")
  const window = windowOf(boundingBox, view)
  if (!(window.widthM > 0 && window.heightM > 0)) return nothingOf("The person is outside the view.")
  const picture = renderBody(body, window)
  const parts = once(() => visibleParts(picture))
  const pictures = once(() => ({
    iuv: pngOf(picture, picture.iuv, 3),
    confidence: pngOf(picture, picture.confidence, 1),
  }))
  return {
    reason: null,
    get bodyParts() {
      return parts()
    },
    get pictures() {
      return pictures()
    },
  }
}

/** The dense poses of this frame's persons. */
export const densePosesOf = ({ view }: Pick<PoseFrame, "view">): (person: Person) => DensePose => {
  const made = new Map<Person, DensePose>()
  return (person) => {
    const known = made.get(person)
    if (known !== undefined) return known
    const dense = view === null
      ? nothingOf("The environment has no view, because its geometry is unknown.")
      : render(person, view)
    made.set(person, dense)
    return dense
  }
}
