/** The version of the service whose documents the types are from. */
export const contractVersion = "0.1.0"
