/**
 * Materials of rooms: reflection and transmission of radio waves.
 *
 * Owns the electrical properties (ITU-R P.2040-1, table 3: real permittivity, conductivity c f^d with f in GHz) and Fresnel's
 * coefficients of a thick wall. Losses of whole walls are our own choice, within the 3 to 12 dB reported for indoor walls.
 */

const materials = {
  concrete: { permittivity: 5.31, c: 0.0326, d: 0.8095, wallLossDb: 12 },
  brick: { permittivity: 3.75, c: 0.038, d: 0, wallLossDb: 8 },
  plasterboard: { permittivity: 2.94, c: 0.0116, d: 0.7076, wallLossDb: 4 },
  wood: { permittivity: 1.99, c: 0.0047, d: 1.0718, wallLossDb: 4 },
  glass: { permittivity: 6.27, c: 0.0043, d: 1.1925, wallLossDb: 3 },
  ceilingBoard: { permittivity: 1.5, c: 0.0005, d: 1.1634, wallLossDb: 3 },
  chipboard: { permittivity: 2.58, c: 0.0217, d: 0.78, wallLossDb: 5 },
  floorboard: { permittivity: 3.66, c: 0.0044, d: 1.3515, wallLossDb: 6 },
} as const

export type MaterialName = keyof typeof materials
export const materialNames = Object.keys(materials) as ReadonlyArray<MaterialName>

/** Loss of a path that crosses a wall of a material once. */
export const wallLossDb = (material: MaterialName): number => materials[material].wallLossDb

interface Complex {
  readonly re: number
  readonly im: number
}

const divide = (a: Complex, b: Complex): Complex => {
  const norm = b.re * b.re + b.im * b.im
  return { re: (a.re * b.re + a.im * b.im) / norm, im: (a.im * b.re - a.re * b.im) / norm }
}

/** The root with the positive real part. */
const squareRoot = ({ im, re }: Complex): Complex => {
  const modulus = Math.hypot(re, im)
  const root = Math.sqrt((modulus + re) / 2)
  return { re: root, im: root === 0 ? Math.sqrt(modulus) : im / (2 * root) }
}

const vacuumPermittivity = 8.8541878128e-12

/** Complex relative permittivity: permittivity - j conductivity / (2 pi f e0). */
export const permittivityOf = (material: MaterialName, frequencyHz: number): Complex => {
  const { c, d, permittivity } = materials[material]
  const conductivity = c * (frequencyHz / 1e9) ** d
  return { re: permittivity, im: -conductivity / (2 * Math.PI * frequencyHz * vacuumPermittivity) }
}

/**
 * Fresnel's reflection coefficients of a thick wall (ITU-R P.2040-1, equations 31a and 31b) for electric fields perpendicular
 * (te) and parallel (tm) to the plane of incidence; `cosIncidence` is 1 at normal incidence.
 */
export const fresnel = (
  material: MaterialName,
  cosIncidence: number,
  frequencyHz: number,
): { readonly te: Complex; readonly tm: Complex } => {
  const epsilon = permittivityOf(material, frequencyHz)
  const root = squareRoot({ re: epsilon.re - 1 + cosIncidence * cosIncidence, im: epsilon.im })
  const scaled = { re: epsilon.re * cosIncidence, im: epsilon.im * cosIncidence }
  return {
    te: divide({ re: cosIncidence - root.re, im: -root.im }, { re: cosIncidence + root.re, im: root.im }),
    tm: divide({ re: scaled.re - root.re, im: scaled.im - root.im }, {
      re: scaled.re + root.re,
      im: scaled.im + root.im,
    }),
  }
}
