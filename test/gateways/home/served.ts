/** One home gateway, and one client of its WebSocket, for all tests of a file. */
import { afterAll, beforeAll } from "vitest"
import { type HomeGateway, startHome, token } from "./harness.ts"
import { connectHome, type HomeSocketClient } from "./socket-client.ts"

/** A gateway for all tests of the file. */
export const servedHome = (): HomeGateway => {
  const home = {} as HomeGateway
  beforeAll(async () => void Object.assign(home, await startHome()), 60_000)
  afterAll(() => home.stop(), 30_000)
  return home
}

/** An authenticated client for tests that need only one. */
export const servedClient = (home: HomeGateway): HomeSocketClient => {
  const client = {} as HomeSocketClient
  beforeAll(async () => void Object.assign(client, await connectHome(home.url, token)), 60_000)
  return client
}
