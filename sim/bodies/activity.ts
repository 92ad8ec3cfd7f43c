/**
 * The five activities of a person, which are the labels of the estimator.
 *
 * - walking: on the way along a route.
 * - standing: on the feet or knees, also while turning, gesturing, bending, jumping, kneeling, or getting up from the floor.
 * - sitting: on a seat, the edge of a bed, or the floor.
 * - lying: the trunk down, on a bed or the floor.
 * - falling: from the loss of balance to the end of the impact.
 */
export type Activity = "walking" | "standing" | "sitting" | "lying" | "falling"
