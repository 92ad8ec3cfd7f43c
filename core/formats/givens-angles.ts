/**
 * Compressed steering matrices: computes the matrix V from quantised angles of Givens rotations (IEEE 802.11-2020, 19.3.12.3.6).
 *
 *   V = prod_{i=1..min(Nc,Nr-1)} [ D_i(e^{j phi_ii} .. e^{j phi_(Nr-1)i}) prod_{l=i+1..Nr} G_li(psi_li)^T ] I_{Nr x Nc}
 *
 * The columns of V are orthonormal, and the last row is real and not negative: the phase of each column is not reported.
 */

/** Number of bits of the two kinds of angles. */
export interface AngleBits {
  readonly phi: number
  readonly psi: number
}

/** Rotations by every quantised angle. */
interface Rotations {
  readonly cos: Float64Array
  readonly sin: Float64Array
}

const rotationsOf = (bits: number, angle: (k: number) => number): Rotations => {
  const angles = Float64Array.from({ length: 2 ** bits }, (_, k) => angle(k))
  return { cos: angles.map(Math.cos), sin: angles.map(Math.sin) }
}

/** phi = pi (k / 2^(b-1) + 1 / 2^b), in 0 to 2 pi. */
const phiRotations = (bits: number): Rotations => rotationsOf(bits, (k) => Math.PI * (2 * k + 1) / 2 ** bits)

/** psi = pi (k / 2^(b+1) + 1 / 2^(b+2)), in 0 to pi/2. */
const psiRotations = (bits: number): Rotations => rotationsOf(bits, (k) => Math.PI * (2 * k + 1) / 2 ** (bits + 2))

/** Number of angles of each kind in one matrix. */
const anglesPerMatrix = (rows: number, columns: number): number => {
  let angles = 0
  for (let i = 1; i <= Math.min(columns, rows - 1); i++) angles += rows - i
  return angles
}

/** Bytes of the angles of `tones` matrices. */
export const angleBytes = (rows: number, columns: number, tones: number, { phi, psi }: AngleBits): number =>
  Math.ceil((tones * anglesPerMatrix(rows, columns) * (phi + psi)) / 8)

/** Unpacks the matrices of one size and quantisation. */
export class AngleDecoder {
  readonly #rows: number
  readonly #columns: number
  readonly #bits: AngleBits
  readonly #phi: Rotations
  readonly #psi: Rotations
  /** The angles of a matrix in the order of the report. */
  readonly #angles: Uint16Array
  /** The matrix in progress, [row][column]. */
  readonly #re: Float64Array
  readonly #im: Float64Array

  constructor(rows: number, columns: number, bits: AngleBits) {
    this.#rows = rows
    this.#columns = columns
    this.#bits = bits
    this.#phi = phiRotations(bits.phi)
    this.#psi = psiRotations(bits.psi)
    this.#angles = new Uint16Array(2 * anglesPerMatrix(rows, columns))
    this.#re = new Float64Array(rows * columns)
    this.#im = new Float64Array(rows * columns)
  }

  /**
   * Unpacks `tones` matrices from the angles at `at`, filled from the lowest bit, into `out`: interleaved complex
   * [row][column][tone].
   */
  read(bytes: Uint8Array, at: number, tones: number, out: Float32Array): void {
    let bit = 8 * at
    for (let tone = 0; tone < tones; tone++) {
      bit = this.#readAngles(bytes, bit)
      this.#compose()
      for (let v = 0; v < this.#re.length; v++) {
        const to = 2 * (v * tones + tone)
        out[to] = this.#re[v]!
        out[to + 1] = this.#im[v]!
      }
    }
  }

  /** Reads the angles of a matrix: for each column first those of one kind, then those of the other. */
  #readAngles(bytes: Uint8Array, from: number): number {
    const { phi, psi } = this.#bits
    let bit = from
    let n = 0
    for (let i = 1; i <= Math.min(this.#columns, this.#rows - 1); i++) {
      for (const width of [phi, psi]) {
        for (let j = i; j < this.#rows; j++, bit += width) {
          const word = bytes[bit >> 3]! | (bytes[(bit >> 3) + 1]! << 8)
          this.#angles[n++] = (word >> (bit & 7)) & ((1 << width) - 1)
        }
      }
    }
    return bit
  }

  /** Multiplies the rotations onto the identity, the last one first. */
  #compose(): void {
    const rows = this.#rows
    this.#re.fill(0)
    this.#im.fill(0)
    for (let column = 0; column < this.#columns; column++) this.#re[column * this.#columns + column] = 1
    let n = this.#angles.length
    for (let i = Math.min(this.#columns, rows - 1); i >= 1; i--) {
      for (let l = rows; l > i; l--) this.#rotate(i - 1, l - 1, this.#angles[--n]!)
      for (let j = rows - 1; j >= i; j--) this.#turn(j - 1, this.#angles[--n]!)
    }
  }

  /** Multiplies G_li(psi)^T from the left. */
  #rotate(upper: number, lower: number, psi: number): void {
    const cos = this.#psi.cos[psi]!
    const sin = this.#psi.sin[psi]!
    const columns = this.#columns
    for (const part of [this.#re, this.#im]) {
      for (let u = upper * columns, l = lower * columns; u < (upper + 1) * columns; u++, l++) {
        const above = part[u]!
        const below = part[l]!
        part[u] = cos * above - sin * below
        part[l] = sin * above + cos * below
      }
    }
  }

  /** Multiplies a row by e^{j phi}. */
  #turn(row: number, phi: number): void {
    const cos = this.#phi.cos[phi]!
    const sin = this.#phi.sin[phi]!
    for (let v = row * this.#columns; v < (row + 1) * this.#columns; v++) {
      const re = this.#re[v]!
      const im = this.#im[v]!
      this.#re[v] = cos * re - sin * im
      this.#im[v] = sin * re + cos * im
    }
  }
}
