/**
 * The gRPC services as data: each method is an operation of the REST API, so both have the same input, output, permission and limit.
 *
 * Requests have the members of the path, the query and the body, as the bare form reads them; responses are those of the bare form.
 * Boundary: streams have no REST operation and are in `streams.ts`; CSI ingest and edge records have `.proto` files written by hand.
 */
import { acknowledgeAlert, listAlerts } from "../../pose-api/alerts.ts"
import { activityEvents } from "../../pose-api/activity-events.ts"
import { createApiKey, listApiKeys, refresh, revokeApiKey, rotateKeys, signIn, signOut } from "../../pose-api/auth.ts"
import { calibrate, calibrationStatus } from "../../pose-api/calibration.ts"
import {
  configurationChanges,
  configurationSchema,
  getConfiguration,
  putConfiguration,
} from "../../pose-api/configuration.ts"
import { readCoverage, simulateCoverage } from "../../pose-api/coverage.ts"
import { detailedHealth } from "../../pose-api/detailed-health.ts"
import { systemDiagnostics } from "../../pose-api/diagnostics.ts"
import type { AnyEndpoint } from "../../pose-api/endpoint.ts"
import { changeEnvironment, createEnvironment } from "../../pose-api/environment-changes.ts"
import { listEnvironments, readEnvironment, removeEnvironment } from "../../pose-api/environments.ts"
import { systemFindings } from "../../pose-api/findings.ts"
import { healthcareAnalytics } from "../../pose-api/healthcare.ts"
import { poseHistory } from "../../pose-api/history.ts"
import { createHomeToken, listHomeTokens, revokeHomeToken } from "../../pose-api/home-tokens.ts"
import { createLabel, deleteLabel, listLabels } from "../../pose-api/labels.ts"
import { metrics } from "../../pose-api/metrics.ts"
import { occupancyAnalytics } from "../../pose-api/occupancy.ts"
import { systemInventory } from "../../pose-api/inventory.ts"
import { latestPose } from "../../pose-api/pose.ts"
import { poseQuery } from "../../pose-api/pose-query.ts"
import { retailAnalytics } from "../../pose-api/retail.ts"
import { securityAnalytics } from "../../pose-api/security.ts"
import {
  enrolSensingNode,
  listSensingNodes,
  quarantineSensingNode,
  releaseSensingNode,
  revokeSensingNode,
} from "../../pose-api/sensing-nodes.ts"
import { summaryAnalytics } from "../../pose-api/summary.ts"
import { restartSystem, startSystem, stopSystem, systemStatus } from "../../pose-api/system.ts"
import { currentTracks, poseTracking } from "../../pose-api/tracking.ts"
import { changePassword, changeUser, createUser, listUsers, removeUser } from "../../pose-api/users.ts"
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  testWebhook,
} from "../../pose-api/webhooks.ts"

/** The operations of each service, by method. Names of methods are unique in the package, because those of their messages are. */
const operations = {
  AnalyticsService: {
    GetHealthcareReport: healthcareAnalytics,
    GetOccupancyReport: occupancyAnalytics,
    GetRetailReport: retailAnalytics,
    GetSecurityReport: securityAnalytics,
    GetSummaryReport: summaryAnalytics,
  },
  AuthService: {
    ChangePassword: changePassword,
    ChangeUser: changeUser,
    CreateApiKey: createApiKey,
    CreateHomeToken: createHomeToken,
    CreateUser: createUser,
    DeleteUser: removeUser,
    ListApiKeys: listApiKeys,
    ListHomeTokens: listHomeTokens,
    ListUsers: listUsers,
    RefreshToken: refresh,
    RevokeApiKey: revokeApiKey,
    RevokeHomeToken: revokeHomeToken,
    RotateSigningKeys: rotateKeys,
    SignIn: signIn,
    SignOut: signOut,
  },
  CalibrationService: { GetCalibration: calibrationStatus, StartCalibration: calibrate },
  ConfigurationService: {
    GetConfiguration: getConfiguration,
    GetConfigurationSchema: configurationSchema,
    ListConfigurationChanges: configurationChanges,
    UpdateConfiguration: putConfiguration,
  },
  EnvironmentService: {
    CreateEnvironment: createEnvironment,
    CreateLabel: createLabel,
    DeleteEnvironment: removeEnvironment,
    DeleteLabel: deleteLabel,
    GetCoverage: readCoverage,
    GetEnvironment: readEnvironment,
    ListEnvironments: listEnvironments,
    ListLabels: listLabels,
    SimulateCoverage: simulateCoverage,
    UpdateEnvironment: changeEnvironment,
  },
  EventService: { AcknowledgeAlert: acknowledgeAlert, ListAlerts: listAlerts, ListEvents: activityEvents },
  PoseService: { GetLatestPose: latestPose, ListPoses: poseHistory, QueryPoses: poseQuery },
  SensingNodeService: {
    EnrolSensingNode: enrolSensingNode,
    ListSensingNodes: listSensingNodes,
    QuarantineSensingNode: quarantineSensingNode,
    ReleaseSensingNode: releaseSensingNode,
    RevokeSensingNode: revokeSensingNode,
  },
  SystemService: {
    GetDiagnostics: systemDiagnostics,
    GetFindings: systemFindings,
    GetHealth: detailedHealth,
    GetInventory: systemInventory,
    GetMetrics: metrics,
    GetSystemStatus: systemStatus,
    RestartSystem: restartSystem,
    StartSystem: startSystem,
    StopSystem: stopSystem,
  },
  TrackService: { GetTrack: poseTracking, ListTracks: currentTracks },
  WebhookService: {
    CreateWebhook: createWebhook,
    DeleteWebhook: deleteWebhook,
    GetWebhook: getWebhook,
    ListWebhooks: listWebhooks,
    TestWebhook: testWebhook,
    UpdateWebhook: changeWebhook,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, AnyEndpoint>>>>

/** All operations, by service and method. */
export const operationList: ReadonlyArray<{
  readonly service: string
  readonly method: string
  readonly endpoint: AnyEndpoint
}> = Object.entries(operations).flatMap(([service, methods]) =>
  Object.entries(methods as Readonly<Record<string, AnyEndpoint>>).map(([method, endpoint]) => ({
    service,
    method,
    endpoint,
  }))
)
