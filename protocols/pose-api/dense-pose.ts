/**
 * The dense pose of a person in each response form: parts with places on them, or two pictures.
 *
 * Both forms say that it is derived and how: `derived` and `method` are extensions that name the fitted body, because
 * nothing of a surface is measured. `reason` is null unless there is nothing to show.
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
    description: "Always: rendered from a body that is fitted to the keypoints. Nothing of the surface is measured.",
  }),
  method: Schema.Literal(derivation.method),
  reason: NullableString.annotate({ description: "Why there is nothing to show; else null." }),
}

const Uv = Schema.Tuple([Fraction, Fraction])

const Part = Schema.Struct({
  part_id: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: surfaceParts.length })).annotate({
    description: "DensePose's number.",
  }),
  part_name: Schema.Literals(partNames),
  side: Schema.NullOr(Schema.Literals(partSides)).annotate({
    description: "Which half of the named part; null where it is whole.",
  }),
  uv_coordinates: Schema.Array(Uv).check(Schema.isMaxLength(placesMax)).annotate({
    description: "Places spread over what shows, on the charts of the fitted body: u across, v along the part.",
  }),
  confidence: Fraction,
})

const Picture = Schema.NullOr(Schema.String)

/** A person's `dense_pose`. */
export const DensePoseSchema = {
  bare: Schema.Struct({ body_parts: Schema.Array(Part), ...derivationFields }),
  envelope: Schema.Struct({
    iuv_image: Picture.annotate({
      description:
        `Base64 of a PNG of the bounding box, long side ${longSidePx} px: red is the part, green u, blue v in 255ths.`,
    }),
    confidence_map: Picture.annotate({
      description: "Base64 of a grey PNG of the same size: the confidence in 255ths, 0 where there is no body.",
    }),
    ...derivationFields,
  }),
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
