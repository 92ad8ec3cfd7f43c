/** The speed of light in vacuum, which waves in air have to within 0.03 %: exact, by the definition of the metre. */
export const speedOfLightMps = 299_792_458
