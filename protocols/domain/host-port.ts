/** The text of a host and a port: `host:port`, with the host in brackets if it is an IPv6 address. */
export const hostPort = (host: string, port: number): string =>
  host.includes(":") && !host.startsWith("[") ? `[${host}]:${port}` : `${host}:${port}`
