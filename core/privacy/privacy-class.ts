/**
 * Privacy classes: how much what an edge node says could tell of a person, and where it may therefore go.
 *
 * The numbers are part of the protocols. From the most telling to the least: raw channel measurements; what is derived from them;
 * what tells of nobody in particular; and that without what a body, a habit or a home could be recognised by.
 */
export const privacyClassNames = ["raw", "derived", "anonymous", "restricted"] as const
export type PrivacyClassName = (typeof privacyClassNames)[number]

export const privacyClasses = { raw: 0, derived: 1, anonymous: 2, restricted: 3 } as const satisfies Record<
  PrivacyClassName,
  number
>
export type PrivacyClass = (typeof privacyClasses)[PrivacyClassName]

/** The word for a class, as settings and logs have it. */
export const nameOfClass = (privacyClass: PrivacyClass): PrivacyClassName => privacyClassNames[privacyClass]

/** Every way by which records leave the edge: towards networks and home automation. */
export const destinations = ["bridge", "mqtt", "home", "webhook", "grpc"] as const
export type Destination = (typeof destinations)[number]

/** What may cross to a destination. */
export const mayCross = (privacyClass: PrivacyClass): boolean => privacyClass >= privacyClasses.anonymous
