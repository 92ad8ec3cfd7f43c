/** The radio models by the names that a scenario chooses. */
import type { CreateRadioScene, RadioModel } from "../radio/radio-scene.ts"
import { createScene } from "../radio/scene.ts"
import { createSurfaceScene } from "../radio/surfaces/surface-scene.ts"

export const radioModels: Readonly<Record<RadioModel, CreateRadioScene>> = {
  points: createScene,
  surfaces: createSurfaceScene,
}
