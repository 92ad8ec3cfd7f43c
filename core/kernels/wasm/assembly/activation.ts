/** Activation functions of network layers by number, as `core/kernels/activation.ts` has them. */
import { exp } from "./elementary.ts"
import { madd } from "./lanes.ts"

function sigmoid(x: v128): v128 {
  const one = f32x4.splat(1)
  return f32x4.div(one, f32x4.add(one, exp(f32x4.neg(x))))
}

export function activate(activation: usize, x: v128): v128 {
  if (activation == 1) return f32x4.max(x, f32x4.splat(0))
  if (activation == 2) {
    const cubed = f32x4.mul(f32x4.mul(x, x), x)
    const bent = madd(cubed, f32x4.splat(0.044715), x)
    return f32x4.mul(x, sigmoid(f32x4.mul(bent, f32x4.splat(1.5957691216057308))))
  }
  if (activation == 3) return f32x4.mul(x, sigmoid(x))
  return x
}
