/**
 * The five activities of a person, which are the labels of the estimator.
 *
 * - walking: on its way along a route.
 * - standing: on its feet or knees, also while it turns, gestures, bends, jumps, kneels, or gets up from the floor.
 * - sitting: on a seat, the edge of a bed, or the floor.
 * - lying: the trunk down, on a bed or the floor.
 * - falling: from the loss of balance to the end of the impact.
 */
export type Activity = "walking" | "standing" | "sitting" | "lying" | "falling"
