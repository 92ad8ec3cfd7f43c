/** The scopes, in the order of the contract. Without imports, because the page of the console has it as well. */
export const scopeNames = [
  "read:poses",
  "read:events",
  "read:system",
  "read:home",
  "process:csi",
  "write:events",
  "write:configuration",
  "write:home",
  "admin",
] as const
