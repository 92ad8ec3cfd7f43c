/**
 * The rooms: read again from time to time, after a read that failed, and when a room sends that is not known or was not active.
 *
 * Invariants:
 * 1. The newest read counts; answers to earlier ones are dropped.
 * 2. Frames cause one read at a time, none while a failed read waits for its repetition, and one for each unknown room between two
 *    regular reads.
 */
import { type Signal, signal } from "@preact/signals"

interface RoomList<A> {
  /** Null: not read yet. */
  readonly rooms: Signal<ReadonlyArray<A> | null>
  /** Why the last read failed; null: it did not. */
  readonly fault: Signal<string | null>
  /** Reads the rooms. Does not throw. */
  readonly load: () => Promise<void>
  /** Reads the rooms unless a read runs. */
  readonly refresh: () => void
  /** A frame of this room came. */
  readonly heard: (environmentId: string) => void
  /** Forgets all: the user has signed out. */
  readonly clear: () => void
}

/** After this time, a read that failed is repeated. */
const readAgainMs = 30_000
/** After this time, the rooms are read again: another browser may have changed them. */
const refreshMs = 300_000

interface Kept<A> extends Pick<RoomList<A>, "rooms" | "fault"> {
  readonly readRooms: () => Promise<ReadonlyArray<A>>
  /** Unknown rooms for which the rooms were read. */
  readonly asked: Set<string>
  newestRead: number
  isReading: boolean
  timer: ReturnType<typeof setTimeout> | undefined
}

const readLater = <A>(kept: Kept<A>, afterMs: number): void => {
  kept.timer = setTimeout(() => {
    kept.asked.clear()
    void read(kept)
  }, afterMs)
}

const read = async <A>(kept: Kept<A>): Promise<void> => {
  clearTimeout(kept.timer)
  const number = ++kept.newestRead
  kept.isReading = true
  const [rooms, fault] = await kept.readRooms().then(
    (rooms) => [rooms, null] as const,
    (cause: Error) => [kept.rooms.value, cause.message] as const,
  )
  if (number !== kept.newestRead) return
  kept.isReading = false
  kept.rooms.value = rooms
  kept.fault.value = fault
  readLater(kept, fault === null ? refreshMs : readAgainMs)
}

interface Listed {
  readonly environment_id: string
  readonly active: boolean
}

const hear = <A extends Listed>(kept: Kept<A>, environmentId: string): void => {
  const { asked, fault, isReading, rooms } = kept
  if (isReading || fault.value !== null || asked.has(environmentId)) return
  if (rooms.value === null) return
  if (rooms.value.some(({ active, environment_id }) => active && environment_id === environmentId)) return
  asked.add(environmentId)
  void read(kept)
}

const clear = <A>(kept: Kept<A>): void => {
  clearTimeout(kept.timer)
  kept.newestRead++
  kept.isReading = false
  kept.asked.clear()
  kept.rooms.value = null
  kept.fault.value = null
}

export const makeRoomList = <A extends Listed>(
  readRooms: () => Promise<ReadonlyArray<A>>,
): RoomList<A> => {
  const rooms = signal<ReadonlyArray<A> | null>(null)
  const fault = signal<string | null>(null)
  const kept: Kept<A> = {
    readRooms,
    rooms,
    fault,
    asked: new Set(),
    newestRead: 0,
    isReading: false,
    timer: undefined,
  }
  return {
    rooms,
    fault,
    load: () => read(kept),
    refresh: () => kept.isReading ? undefined : void read(kept),
    heard: (environmentId) => hear(kept, environmentId),
    clear: () => clear(kept),
  }
}
