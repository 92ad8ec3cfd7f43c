/**
 * Activation functions of network layers, by number: 0 none, 1 ReLU, 2 GELU, 3 SiLU.
 *
 * GELU is the approximation by tanh (Hendrycks and Gimpel 2016), which is x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)).
 */

const activationsMax = 3

/** Throws a RangeError for a number that names no activation. */
export const checkActivation = (activation: number): void => {
  if (activation > activationsMax) throw new RangeError(`There is no activation ${activation}: use 0 to 3.`)
}

export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

export const activate = (activation: number, x: number): number => {
  if (activation === 1) return Math.max(0, x)
  if (activation === 2) return x * sigmoid(2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))
  if (activation === 3) return x * sigmoid(x)
  return x
}

/** `activate(kind, x)` of WebGPU programs. The exponent is bounded, because overflow is undefined there. */
export const activateWgsl = `
fn sigmoid(x: f32) -> f32 { return 1.0 / (1.0 + exp(clamp(-x, -80.0, 80.0))); }
fn activate(kind: u32, x: f32) -> f32 {
  switch kind {
    case 1u: { return max(0.0, x); }
    case 2u: { return x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x)); }
    case 3u: { return x * sigmoid(x); }
    default: { return x; }
  }
}
`

/** Statements of gpu.js functions that apply the activation number `kind` to `sum`. */
export const activateGpujs = `
  let exponent = sum
  if (kind === 2) {
    exponent = 1.5957691216057308 * (sum + 0.044715 * sum * sum * sum)
  }
  let weight = 1
  if (kind === 1 && sum < 0) {
    weight = 0
  }
  if (kind > 1) {
    weight = 1 / (1 + Math.exp(Math.min(80, Math.max(-80, -exponent))))
  }
  return sum * weight`
