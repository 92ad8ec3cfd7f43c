/**
 * An edge feed with the records of a test, which pass the real privacy gate as in the service.
 */
import { Effect, Stream } from "effect"
import type { PrivacyClass } from "../../core/privacy/privacy-class.ts"
import { makeLatestRecords } from "../../gateways/egress/latest-records.ts"
import { release, verdictOf } from "../../gateways/egress/release.ts"
import type { EdgeRecord, RegistryEntry, SemanticEvents, SensingRecord } from "../../protocols/domain/sensing.ts"
import type { EdgeFeed, EdgeVerdicts } from "../../protocols/ports/edge-feed.ts"
import { edgeRecord } from "./edge-records.ts"

export interface RecordParts {
  readonly privacyClass?: PrivacyClass
  readonly seenMs?: number
  readonly entry?: Partial<RegistryEntry>
  readonly sensing?: Partial<SensingRecord> | null
  readonly events?: Partial<SemanticEvents> | null
}

/** A record with some fields of its parts replaced. */
export const variedRecord = (nodeId: string, parts: RecordParts = {}): EdgeRecord => {
  const whole = edgeRecord(nodeId)
  const { entry, events, privacyClass = whole.privacyClass, seenMs = whole.seenMs, sensing } = parts
  return {
    ...whole,
    privacyClass,
    seenMs,
    entry: { ...whole.entry, privacyClass, lastSeenMs: seenMs, ...entry },
    // Sensed 40 ms before it was seen.
    sensing: sensing === null ? null : { ...whole.sensing!, timestampMs: seenMs - 40, ...sensing },
    events: events === null ? null : { ...whole.events!, ...events },
  }
}

export interface TestFeed {
  readonly feed: EdgeFeed["Service"]
  readonly verdicts: EdgeVerdicts["Service"]
  readonly say: (record: EdgeRecord) => void
  /** The node was removed. */
  readonly remove: (nodeId: string) => void
}

export const makeTestFeed = (): TestFeed => {
  const newest = makeLatestRecords()
  return {
    say: newest.put,
    remove: newest.forget,
    feed: {
      watch: (destination) => Stream.mapEffect(newest.watch, (record) => release(record, destination)),
      current: (destination) => Effect.forEach(newest.all(), (record) => release(record, destination)),
    },
    verdicts: {
      watch: (destination) => Stream.mapEffect(newest.watch, (record) => verdictOf(record, destination)),
      current: (destination) => Effect.forEach(newest.all(), (record) => verdictOf(record, destination)),
    },
  }
}
