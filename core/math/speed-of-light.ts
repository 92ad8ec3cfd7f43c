/** The speed of light in vacuum, exact by the definition of the metre. The speed in air differs by 0.03 %. */
export const speedOfLightMps = 299_792_458
