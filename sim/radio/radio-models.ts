/** The radio models that a scenario can choose. */
import type { CreateRadioScene } from "./radio-scene.ts"
import { createScene } from "./scene.ts"
import { createSurfaceScene } from "./surfaces/surface-scene.ts"

/**
 * `points`: bodies are point scatterers with knife edges as shadows, and rooms have a prescribed statistic.
 * `surfaces`: bodies are cylinders by physical optics with complex diffraction, and rooms have single objects.
 */
export const radioModels = {
  points: createScene,
  surfaces: createSurfaceScene,
} as const satisfies Record<string, CreateRadioScene>

export type RadioModel = keyof typeof radioModels
export const radioModelNames = Object.keys(radioModels) as ReadonlyArray<RadioModel>
