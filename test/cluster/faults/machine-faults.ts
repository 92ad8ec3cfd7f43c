/**
 * Faults of the machines: a cut link, a full disk and clocks that jump.
 *
 * A fault that needs more than the machine has is skipped, with the reason: the full disk needs root and a local PostgreSQL, the clock libfaketime.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { canMakeStandby, canMountDisk } from "../../harness/postgres.ts"
import type { FaultCase, FaultWorld } from "./world.ts"

/** Debian's libfaketime, which gives a process another time of day. */
const findFaketime = (): string | null => {
  const libraries = "/usr/lib"
  const folders = existsSync(libraries) ? readdirSync(libraries) : []
  return folders.map((folder) => join(libraries, folder, "faketime", "libfaketimeMT.so.1")).find(existsSync) ?? null
}

const faketime = findFaketime()
const clockOffsets = ["+1h", "-1d", "+0"]

/** Replaces the second node by one whose clock is set by a file, and sets it. */
const jumpClock = async (world: FaultWorld) => {
  const folder = mkdtempSync(join(tmpdir(), "wavepose-clock-"))
  const file = join(folder, "offset")
  const set = (offset: string) => writeFileSync(file, `${offset}\n`)
  set("+0")
  await world.second().stop()
  await world.startSecond({
    LD_PRELOAD: faketime!,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  })
  await world.settle()
  for (const offset of clockOffsets) {
    set(offset)
    await world.settle()
  }
  await world.second().stop()
  await world.startSecond()
  rmSync(folder, { recursive: true })
}

export const machineFaults: ReadonlyArray<FaultCase> = [
  {
    name: "a node's link to the database is cut until its rooms have moved, then joined",
    limitMs: 6_000,
    lostHopsMax: null,
    run: async (world) => {
      world.link.cut()
      await world.settle()
      world.link.join()
    },
  },
  {
    name: "the disk of PostgreSQL is full until the rooms stand still, then free",
    lostHopsMax: null,
    limitMs: 8_000,
    unavailable: canMountDisk() ? null : "only root can mount a disk",
    run: async (world) => {
      const { disk } = world.postgres
      if (disk === null) throw new Error("a database in a container has no disk of its own")
      disk.fill()
      await world.stall()
      disk.free()
      // A server that could not write its log has ended.
      await world.postgres.start()
    },
  },
  {
    name: "the clock of a node jumps an hour ahead, to a day ago, and back",
    limitMs: 2_000,
    unavailable: faketime === null ? "libfaketime is not installed" : null,
    run: jumpClock,
  },
  // The last one: nothing leads back to the first database.
  {
    name: "PostgreSQL fails over to its standby",
    lostHopsMax: null,
    limitMs: 10_000,
    unavailable: canMakeStandby() ? null : "a database in a container has no standby",
    run: (world) => world.failOver(),
  },
]
