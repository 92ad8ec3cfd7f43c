/**
 * Privacy classes: how much the records of an edge node could reveal about a person, and the destinations that they may have.
 *
 * The numbers are part of the protocols. From the most to the least revealing: raw channel measurements; data derived from them;
 * data about no particular person; the same without features by which a body, a habit or a home could be recognised.
 */
export const privacyClassNames = ["raw", "derived", "anonymous", "restricted"] as const
export type PrivacyClassName = (typeof privacyClassNames)[number]

export const privacyClasses = { raw: 0, derived: 1, anonymous: 2, restricted: 3 } as const satisfies Record<
  PrivacyClassName,
  number
>
export type PrivacyClass = (typeof privacyClasses)[PrivacyClassName]

/** The name of a class in settings and logs. */
export const nameOfClass = (privacyClass: PrivacyClass): PrivacyClassName => privacyClassNames[privacyClass]

/** Every egress of edge records, to networks and home automation. */
export const destinations = ["bridge", "mqtt", "home", "webhook", "grpc"] as const
export type Destination = (typeof destinations)[number]

/** Whether records of a class may leave the edge. */
export const mayCross = (privacyClass: PrivacyClass): boolean => privacyClass >= privacyClasses.anonymous
