/** A value that is made at its first use, and kept. */

/** `make`, called at most once. */
export const once = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | null = null
  return () => (made ??= { value: make() }).value
}
