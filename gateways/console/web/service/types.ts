/**
 * What the console reads from the pose API, as types of the contract. Nothing of it runs in the browser.
 */
import type { Schema } from "effect"
import type { ApiKeyBody } from "../../../../protocols/pose-api/auth.ts"
import type { CoverageBody } from "../../../../protocols/pose-api/coverage.ts"
import type { DiagnosticsBody } from "../../../../protocols/pose-api/diagnostics.ts"
import type { EnvironmentDetail, EnvironmentsBody } from "../../../../protocols/pose-api/environments.ts"
import type { Finding as FindingSchema, FindingsBody } from "../../../../protocols/pose-api/findings.ts"
import type { BareHistory } from "../../../../protocols/pose-api/history.ts"
import type { InventoryBody } from "../../../../protocols/pose-api/inventory.ts"
import type { LabelsBody } from "../../../../protocols/pose-api/labels.ts"
import type { QueryAnswer } from "../../../../protocols/pose-api/pose-query.ts"
import type { SensingNodesBody } from "../../../../protocols/pose-api/sensing-nodes.ts"
import type { UserBody } from "../../../../protocols/pose-api/users.ts"
import type { WebhookBody } from "../../../../protocols/pose-api/webhooks.ts"
import type { AlertBody } from "../../../../protocols/pose-api/socket-alert.ts"
import type { BareMetadata, BarePerson } from "../../../../protocols/pose-api/pose-schema.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

export type Person = Encoded<typeof BarePerson>
export type Metadata = Encoded<typeof BareMetadata>
export type Alert = Encoded<typeof AlertBody.bare>
export type Environment = Encoded<typeof EnvironmentDetail>
export type EnvironmentSummary = Encoded<typeof EnvironmentsBody>["environments"][number]
export type HistoryPage = Encoded<typeof BareHistory>
export type SummaryAnswer = Encoded<typeof QueryAnswer>
export type SummaryResult = SummaryAnswer["results"][number]
export type Coverage = Encoded<typeof CoverageBody>
export type Diagnostics = Encoded<typeof DiagnosticsBody>
export type Finding = Encoded<typeof FindingSchema>
export type Findings = Encoded<typeof FindingsBody>
export type Inventory = Encoded<typeof InventoryBody>
export type LabelsPage = Encoded<typeof LabelsBody>
export type RoomLabel = LabelsPage["labels"][number]
export type SensingNodes = Encoded<typeof SensingNodesBody>
export type User = Encoded<typeof UserBody>
export type ApiKey = Encoded<typeof ApiKeyBody>
export type Webhook = Encoded<typeof WebhookBody>
export type Geometry = NonNullable<Environment["geometry"]>

/** A pose frame as the WebSocket sends it, without the members that belong to the subscription. */
export interface Frame {
  readonly timestamp: string
  readonly environment_id: string
  readonly data: { readonly frame_id: number; readonly persons: ReadonlyArray<Person>; readonly metadata: Metadata }
}

/** The body of an error answer. */
export interface Problem {
  readonly code: string
  readonly message: string
}
