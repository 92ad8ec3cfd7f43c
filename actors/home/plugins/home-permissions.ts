/**
 * What a manifest permits in the home: the domains of states, and the services that a plugin may call. `*` stands for any.
 */

/** Whether a list of domains names this one. */
export const permits = (domains: ReadonlyArray<string>, domain: string): boolean =>
  domains.includes("*") || domains.includes(domain)

/** Whether a list of `domain.service` patterns names this service. */
export const permitsCall = (patterns: ReadonlyArray<string>, domain: string, service: string): boolean =>
  patterns.some((pattern) => {
    const [ofDomain, ofService] = pattern.split(".")
    return (ofDomain === "*" || ofDomain === domain) && (ofService === "*" || ofService === service)
  })
