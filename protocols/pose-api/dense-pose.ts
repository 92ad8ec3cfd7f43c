/**
 * The dense pose of a person in each response form: parts with surface points, or two pictures.
 *
 * The surface is not measured: the extensions `derived` and `method` state that it is rendered from a fitted body. `reason` is null unless
 * there is no dense pose.
 */
import { Schema } from "effect"
import { partNames, partSides, surfaceParts } from "../../core/pose/body-parts.ts"
import { longSidePx } from "../../core/pose/render-body.ts"
import { placesMax, type VisiblePart } from "../../core/pose/visible-parts.ts"
import type { DensePose } from "../domain/pose.ts"
import { Fraction, NullableString, round3 } from "./fields.ts"
import type { Form } from "./forms.ts"

const derivation = { derived: true, method: "fitted-body" } as const

const derivationFields = {
  derived: Schema.Literal(derivation.derived).annotate({
    description: "Always true: the surface is rendered from a body fitted to the keypoints, not measured.",
  }),
  method: Schema.Literal(derivation.method),
  reason: NullableString.annotate({ description: "Why there is no dense pose; else null." }),
}

const Uv = Schema.Tuple([Fraction, Fraction])

const Part = Schema.Struct({
  part_id: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: surfaceParts.length })).annotate({
    description: "Part number of DensePose.",
  }),
  part_name: Schema.Literals(partNames),
  side: Schema.NullOr(Schema.Literals(partSides)).annotate({
    description: "Half of the named part; null for the whole part.",
  }),
  uv_coordinates: Schema.Array(Uv).check(Schema.isMaxLength(placesMax)).annotate({
    description:
      "Points spread over the visible surface, in chart coordinates of the fitted body: u across the part, v along it.",
  }),
  confidence: Fraction,
}).annotate({ identifier: "BodyPart" })

const Picture = Schema.NullOr(Schema.String)

/** A person's `dense_pose`. */
export const DensePoseSchema = {
  bare: Schema.Struct({ body_parts: Schema.Array(Part), ...derivationFields }).annotate({
    identifier: "DensePose.bare",
  }),
  envelope: Schema.Struct({
    iuv_image: Picture.annotate({
      description:
        `Base64 of a PNG of the bounding box with a long side of ${longSidePx} px: red is the part number, green is u and blue is v, each times 255.`,
    }),
    confidence_map: Picture.annotate({
      description: "Base64 of a grey PNG of the same size: the confidence times 255, 0 outside the body.",
    }),
    ...derivationFields,
  }).annotate({ identifier: "DensePose.envelope" }),
}

type Encoded<F extends Form> = (typeof DensePoseSchema)[F]["Type"]

const part = ({ confidence, id, name, side, uv }: VisiblePart): Encoded<"bare">["body_parts"][number] => ({
  part_id: id,
  part_name: name,
  side,
  uv_coordinates: uv.map(([u, v]) => [round3(u), round3(v)] as const),
  confidence: round3(confidence),
})

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

/** The bare form. */
export const bareDensePose = ({ bodyParts, reason }: DensePose): Encoded<"bare"> => ({
  body_parts: bodyParts.map(part),
  ...derivation,
  reason,
})

/** The envelope form. */
export const envelopeDensePose = ({ pictures, reason }: DensePose): Encoded<"envelope"> => ({
  iuv_image: pictures === null ? null : base64(pictures.iuv),
  confidence_map: pictures === null ? null : base64(pictures.confidence),
  ...derivation,
  reason,
})
