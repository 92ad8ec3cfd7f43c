"""Generated from the OpenAPI document of the envelope form by `npm run contract -- generate`. Do not edit."""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any, Literal
from urllib.parse import quote

from . import envelope as envelope

class EnvelopeOperations:
    """The operations, synchronous."""

    def _call(self, method: str, path: str, query: dict[str, Any], body: Any = None) -> Any:
        raise NotImplementedError

    def get_health(
        self,
    ) -> envelope.GetHealthResponse:
        """Check that this process serves, that its store answers, and that its frames are on time. Public. Limit: `health`."""
        return self._call("GET", "/api/v1/health", {})

    def get_health_live(
        self,
    ) -> envelope.GetHealthLiveResponse:
        """Liveness probe: check that this process serves. Also at /health/live. Public. Limit: `monitoring`."""
        return self._call("GET", "/api/v1/health/live", {})

    def get_health_ready(
        self,
    ) -> envelope.GetHealthReadyResponse:
        """Readiness probe: check the database, the data disk and the system session. Also at /health/ready. Public. Limit: `monitoring`."""
        return self._call("GET", "/api/v1/health/ready", {})

    def post_auth_token(
        self,
        body: envelope.PostAuthTokenRequest,
    ) -> envelope.TokensAnswer:
        """Sign in with a user name and a password. Public. Limit: `authentication`."""
        return self._call("POST", "/api/v1/auth/token", {}, body)

    def post_auth_refresh(
        self,
        body: envelope.PostAuthRefreshRequest,
    ) -> envelope.TokensAnswer:
        """Exchange a refresh token for new tokens. A second use of a refresh token ends the sign-in. Public. Limit: `authentication`."""
        return self._call("POST", "/api/v1/auth/refresh", {}, body)

    def post_auth_logout(
        self,
        body: envelope.PostAuthLogoutRequest,
    ) -> None:
        """Sign out: end the sign-in of a refresh token and revoke all its tokens. Public. Limit: `authentication`."""
        return self._call("POST", "/api/v1/auth/logout", {}, body)

    def post_auth_keys_rotate(
        self,
        body: envelope.PostAuthKeysRotateRequest | None = None,
    ) -> envelope.PostAuthKeysRotateResponse:
        """Rotate the key that signs access tokens. Tokens of the old key stay valid until they expire. Scope: `admin`. Limit: `authentication`."""
        return self._call("POST", "/api/v1/auth/keys/rotate", {}, body)

    def post_auth_ticket(
        self,
    ) -> envelope.SocketTicketAnswer:
        """Get a ticket that opens one WebSocket, so that the address holds no access token. For every authenticated caller. Limit: `pose-data`."""
        return self._call("POST", "/api/v1/auth/ticket", {})

    def post_auth_api_keys(
        self,
        body: envelope.PostAuthApiKeysRequest,
    ) -> envelope.PostAuthApiKeysResponse:
        """Create an API key for a service. Scope: `admin`. Limit: `authentication`. 422 unless `expires_at` is in the future; `scopes` are among those of the role."""
        return self._call("POST", "/api/v1/auth/api-keys", {}, body)

    def get_auth_api_keys(
        self,
    ) -> envelope.GetAuthApiKeysResponse:
        """List the API keys, without the keys themselves. Scope: `admin`. Limit: `authentication`."""
        return self._call("GET", "/api/v1/auth/api-keys", {})

    def delete_auth_api_keys_key_id(
        self,
        key_id: str,
    ) -> None:
        """Revoke an API key. Scope: `admin`. Limit: `authentication`."""
        return self._call("DELETE", f"/api/v1/auth/api-keys/{quote(key_id, safe='')}", {})

    def get_auth_users(
        self,
    ) -> envelope.GetAuthUsersResponse:
        """List the users. Scope: `admin`. Limit: `authentication`."""
        return self._call("GET", "/api/v1/auth/users", {})

    def post_auth_users(
        self,
        body: envelope.PostAuthUsersRequest,
    ) -> envelope.UserAnswer:
        """Add a user. Scope: `admin`. Limit: `authentication`."""
        return self._call("POST", "/api/v1/auth/users", {}, body)

    def put_auth_users_user_id(
        self,
        user_id: str,
        body: envelope.PutAuthUsersUserIdRequest,
    ) -> envelope.UserAnswer:
        """Change the role or the password of a user. The user's sign-ins end. Scope: `admin`. Limit: `authentication`. 422 unless `role`, `password` or both are given."""
        return self._call("PUT", f"/api/v1/auth/users/{quote(user_id, safe='')}", {}, body)

    def delete_auth_users_user_id(
        self,
        user_id: str,
    ) -> None:
        """Remove a user. The user's sign-ins end. Scope: `admin`. Limit: `authentication`."""
        return self._call("DELETE", f"/api/v1/auth/users/{quote(user_id, safe='')}", {})

    def post_auth_password(
        self,
        body: envelope.PostAuthPasswordRequest,
    ) -> None:
        """Change your own password. Your other sign-ins end. For every authenticated caller. Limit: `authentication`."""
        return self._call("POST", "/api/v1/auth/password", {}, body)

    def get_pose_latest(
        self,
        *,
        environment_id: str | None = None,
        min_confidence: float | None = None,
        include_keypoints: bool | None = None,
        include_3d: bool | None = None,
        include_dense_pose: bool | None = None,
    ) -> envelope.PoseFrameAnswer:
        """Get the newest pose frame of an environment, or of all environments. Scope: `read:poses`. Limit: `pose-data`."""
        return self._call("GET", "/api/v1/pose/latest", {"environment_id": environment_id, "min_confidence": min_confidence, "include_keypoints": include_keypoints, "include_3d": include_3d, "include_dense_pose": include_dense_pose})

    def get_pose_history(
        self,
        *,
        start_time: str,
        end_time: str,
        environment_id: str | None = None,
        person_id: int | None = None,
        track_id: int | None = None,
        confidence_threshold: float | None = None,
        min_confidence: float | None = None,
        include_keypoints: bool | None = None,
        include_3d: bool | None = None,
        page: int | None = None,
        per_page: int | None = None,
    ) -> envelope.GetPoseHistoryResponse:
        """List stored frames by cursor (bare form), or stored persons by page (envelope form). Scope: `read:poses`. Limit: `pose-data`. 422 unless `end_time` is after `start_time`; `cursor` is the `next_cursor` of an answer; a field and its alias, if both are given, are equal."""
        return self._call("GET", "/api/v1/pose/history", {"start_time": start_time, "end_time": end_time, "environment_id": environment_id, "person_id": person_id, "track_id": track_id, "confidence_threshold": confidence_threshold, "min_confidence": min_confidence, "include_keypoints": include_keypoints, "include_3d": include_3d, "page": page, "per_page": per_page})

    def post_pose_query(
        self,
        body: envelope.PostPoseQueryRequest,
    ) -> envelope.PostPoseQueryResponse:
        """Query stored frames, singly or as summaries of intervals. Scope: `read:poses`. Limit: `pose-data`. 422 unless `end` is after `start`; `person_count.max` is not below `min`; `cursor` is the `next_cursor` of an answer; a field and its alias, if both are given, are equal."""
        return self._call("POST", "/api/v1/pose/query", {}, body)

    def post_pose_process(
        self,
        body: envelope.PostPoseProcessRequest,
    ) -> envelope.PostPoseProcessResponse:
        """Submit CSI packets to their routers, and get the poses of their times if there are any. Scope: `process:csi`. Limit: `pose-processing`. 422 unless a field and its alias, if both are given, are equal; all antennas have the same number of subcarriers. Invalid packets of a batch are results, and do not reject the request."""
        return self._call("POST", "/api/v1/pose/process", {}, body)

    def get_pose_tracking(
        self,
        *,
        environment_id: str | None = None,
    ) -> envelope.GetPoseTrackingResponse:
        """The tracks of all environments: persons who are seen now, or were lost a moment ago. Scope: `read:poses`. Limit: `pose-data`."""
        return self._call("GET", "/api/v1/pose/tracking", {"environment_id": environment_id})

    def get_pose_tracking_track_id(
        self,
        track_id: str,
        *,
        start_time: str | None = None,
        end_time: str | None = None,
        include_trajectory: bool | None = None,
        environment_id: str | None = None,
    ) -> envelope.GetPoseTrackingTrackIdResponse:
        """Get the record of a track, active or stored. Scope: `read:poses`. Limit: `pose-data`. 422 unless `end_time` is after `start_time`."""
        return self._call("GET", f"/api/v1/pose/tracking/{quote(track_id, safe='')}", {"start_time": start_time, "end_time": end_time, "include_trajectory": include_trajectory, "environment_id": environment_id})

    def get_system_status(
        self,
    ) -> envelope.GetSystemStatusResponse:
        """Get the status of the system and its components. Scope: `read:system`. Limit: `health`."""
        return self._call("GET", "/api/v1/system/status", {})

    def post_system_start(
        self,
        body: envelope.PostSystemStartRequest | None = None,
    ) -> envelope.PostSystemStartResponse:
        """Start pose estimation. Its settings are saved in the configuration. Scope: `write:configuration`. Limit: `configuration`."""
        return self._call("POST", "/api/v1/system/start", {}, body)

    def post_system_stop(
        self,
        body: envelope.PostSystemStopRequest | None = None,
    ) -> envelope.PostSystemStopResponse:
        """Stop pose estimation. Scope: `write:configuration`. Limit: `configuration`."""
        return self._call("POST", "/api/v1/system/stop", {}, body)

    def post_system_restart(
        self,
    ) -> envelope.PostSystemRestartResponse:
        """Restart pose estimation in a new session. Scope: `write:configuration`. Limit: `configuration`."""
        return self._call("POST", "/api/v1/system/restart", {})

    def get_system_calibration(
        self,
        *,
        environment_id: str | None = None,
    ) -> envelope.CalibrationsAnswer:
        """Get the calibration of each router. Scope: `read:system`. Limit: `health`."""
        return self._call("GET", "/api/v1/system/calibration", {"environment_id": environment_id})

    def post_system_calibration(
        self,
        body: envelope.PostSystemCalibrationRequest | None = None,
    ) -> envelope.CalibrationsAnswer:
        """Start a calibration: of the empty room first, then of the occupied room. Scope: `write:configuration`. Limit: `configuration`."""
        return self._call("POST", "/api/v1/system/calibration", {}, body)

    def get_config(
        self,
    ) -> envelope.ConfigurationAnswer:
        """Get the configuration. Scope: `read:system`. Limit: `configuration`."""
        return self._call("GET", "/api/v1/config", {})

    def put_config(
        self,
        body: envelope.PutConfigRequest,
    ) -> envelope.PutConfigResponse:
        """Change settings of the configuration, by the names of either form, nested or dotted. Scope: `write:configuration`. Limit: `configuration`. 422 unless `If-Match` is an ETag of this resource or `*`; fields that are reported only are absent; a field and its alias, if both are given, are equal."""
        return self._call("PUT", "/api/v1/config", {}, body)

    def get_config_schema(
        self,
    ) -> envelope.GetConfigSchemaResponse:
        """Get the schema of the configuration: types, bounds, descriptions and defaults. Scope: `read:system`. Limit: `configuration`."""
        return self._call("GET", "/api/v1/config/schema", {})

    def get_config_changes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> envelope.GetConfigChangesResponse:
        """List the changes of the configuration with their authors, newest first. Scope: `admin`. Limit: `configuration`. 422 unless `cursor` is the `next_cursor` of an answer."""
        return self._call("GET", "/api/v1/config/changes", {"limit": limit, "cursor": cursor})

    def get_system_diagnostics(
        self,
    ) -> envelope.GetSystemDiagnosticsResponse:
        """Get diagnostics about missing frames. Scope: `write:configuration`. Limit: `health`."""
        return self._call("GET", "/api/v1/system/diagnostics", {})

    def get_system_findings(
        self,
    ) -> envelope.GetSystemFindingsResponse:
        """Examine the service twice within seconds, and say what prevents frames and what to do. Scope: `write:configuration`. Limit: `health`."""
        return self._call("GET", "/api/v1/system/findings", {})

    def get_system_inventory(
        self,
    ) -> envelope.GetSystemInventoryResponse:
        """List the nodes, the plugins and the pose networks in use with their cards. Scope: `write:configuration`. Limit: `health`."""
        return self._call("GET", "/api/v1/system/inventory", {})

    def get_environments(
        self,
    ) -> envelope.GetEnvironmentsResponse:
        """List the enrolled environments, active or not, with their routers and origins. Scope: `read:system`. Limit: `configuration`."""
        return self._call("GET", "/api/v1/environments", {})

    def post_environments(
        self,
        body: envelope.PostEnvironmentsRequest,
    ) -> envelope.EnvironmentAnswer:
        """Create an environment of real routers. Scope: `write:configuration`. Limit: `configuration`. 422 unless nodes are inside the room, zones have an area, and ids are unique."""
        return self._call("POST", "/api/v1/environments", {}, body)

    def get_environments_environment_id(
        self,
        environment_id: str,
    ) -> envelope.EnvironmentAnswer:
        """One enrolled environment with its geometry and zones. Scope: `read:system`. Limit: `configuration`."""
        return self._call("GET", f"/api/v1/environments/{quote(environment_id, safe='')}", {})

    def put_environments_environment_id(
        self,
        environment_id: str,
        body: envelope.PutEnvironmentsEnvironmentIdRequest,
    ) -> envelope.EnvironmentAnswer:
        """Change the name, geometry, zones or routers of an environment; fields that are not given stay. Scope: `write:configuration`. Limit: `configuration`. 422 unless nodes are inside the room, zones have an area, and ids are unique; `If-Match` is an ETag of this resource or `*`."""
        return self._call("PUT", f"/api/v1/environments/{quote(environment_id, safe='')}", {}, body)

    def delete_environments_environment_id(
        self,
        environment_id: str,
        *,
        history: Literal["keep", "drop"] | None = None,
    ) -> envelope.DeleteEnvironmentsEnvironmentIdResponse:
        """Remove an environment with its routers and their calibrations. Its streams end. Scope: `write:configuration`. Limit: `configuration`."""
        return self._call("DELETE", f"/api/v1/environments/{quote(environment_id, safe='')}", {"history": history})

    def post_environments_environment_id_coverage(
        self,
        environment_id: str,
        body: envelope.PostEnvironmentsEnvironmentIdCoverageRequest | None = None,
    ) -> envelope.CoverageAnswer:
        """Simulate the coverage of a plan, by default that of the environment, on the answering node, which does one at a time. Scope: `write:configuration`. Limit: `pose-processing`. 422 unless nodes are inside the room, zones have an area, and ids are unique; there are 2 to 16 nodes."""
        return self._call("POST", f"/api/v1/environments/{quote(environment_id, safe='')}/coverage", {}, body)

    def get_environments_environment_id_coverage(
        self,
        environment_id: str,
    ) -> envelope.CoverageAnswer:
        """The newest simulation of an environment's coverage on the answering node. Scope: `read:system`. Limit: `health`."""
        return self._call("GET", f"/api/v1/environments/{quote(environment_id, safe='')}/coverage", {})

    def get_alerts(
        self,
        *,
        environment_id: str | None = None,
        status: Literal["open", "acknowledged", "cleared"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> envelope.GetAlertsResponse:
        """The alerts of all environments, the newest first, by when what they report began. Scope: `read:events`. Limit: `analytics`. 422 unless `cursor` is the `next_cursor` of an answer."""
        return self._call("GET", "/api/v1/alerts", {"environment_id": environment_id, "status": status, "limit": limit, "cursor": cursor})

    def post_alerts_alert_id_acknowledge(
        self,
        alert_id: str,
    ) -> envelope.PostAlertsAlertIdAcknowledgeResponse:
        """Acknowledge an open alert; subscribers are notified with `alert_update`. Scope: `write:events`. Limit: `analytics`."""
        return self._call("POST", f"/api/v1/alerts/{quote(alert_id, safe='')}/acknowledge", {})

    def get_labels(
        self,
        *,
        environment_id: str,
        start_time: str | None = None,
        end_time: str | None = None,
        cursor: str | None = None,
    ) -> envelope.GetLabelsResponse:
        """The labels of a room in a range, the newest first, 200 in a page. Scope: `read:events`. Limit: `analytics`."""
        return self._call("GET", "/api/v1/labels", {"environment_id": environment_id, "start_time": start_time, "end_time": end_time, "cursor": cursor})

    def post_labels(
        self,
        body: envelope.PostLabelsRequest,
    ) -> envelope.LabelAnswer:
        """Label a span of time. Labels of a room cannot overlap. Scope: `write:events`. Limit: `configuration`. 422 unless `end_time` is after `start_time`; the span has at most a week and overlaps no other label of the room."""
        return self._call("POST", "/api/v1/labels", {}, body)

    def delete_labels_label_id(
        self,
        label_id: str,
    ) -> None:
        """Delete a label. Scope: `write:events`. Limit: `configuration`."""
        return self._call("DELETE", f"/api/v1/labels/{quote(label_id, safe='')}", {})

    def get_labels_export(
        self,
        *,
        environment_id: str,
        file: str,
        start_time: str,
        link: str | None = None,
        end_time: str | None = None,
    ) -> str:
        """The labels of a recording as CSV, for `npm run eval -- --recordings DIR --labels FILE`. Scope: `read:events`. Limit: `analytics`."""
        return self._call("GET", "/api/v1/labels/export", {"environment_id": environment_id, "file": file, "link": link, "start_time": start_time, "end_time": end_time})

    def post_home_tokens(
        self,
        body: envelope.PostHomeTokensRequest,
    ) -> envelope.PostHomeTokensResponse:
        """Create a long-lived token for a client of the home API. Scope: `admin`. Limit: `authentication`."""
        return self._call("POST", "/api/v1/home/tokens", {}, body)

    def get_home_tokens(
        self,
    ) -> envelope.GetHomeTokensResponse:
        """List the tokens of the home API, without the tokens themselves. Scope: `admin`. Limit: `authentication`."""
        return self._call("GET", "/api/v1/home/tokens", {})

    def delete_home_tokens_token_id(
        self,
        token_id: str,
    ) -> None:
        """Revoke a token of the home API. Its connections end. Scope: `admin`. Limit: `authentication`."""
        return self._call("DELETE", f"/api/v1/home/tokens/{quote(token_id, safe='')}", {})

    def post_webhooks(
        self,
        body: envelope.PostWebhooksRequest,
    ) -> envelope.PostWebhooksResponse:
        """Create a webhook: events are delivered signed, at least once, with retries for hours. Scope: `write:configuration`. Limit: `configuration`. 422 unless `url` is an https address that webhooks may be sent to."""
        return self._call("POST", "/api/v1/webhooks", {}, body)

    def get_webhooks(
        self,
    ) -> envelope.GetWebhooksResponse:
        """List the webhooks with their status, without their secrets. Scope: `write:configuration`. Limit: `configuration`."""
        return self._call("GET", "/api/v1/webhooks", {})

    def get_webhooks_webhook_id(
        self,
        webhook_id: str,
    ) -> envelope.WebhookAnswer:
        """Get a webhook with its status. Scope: `write:configuration`. Limit: `configuration`."""
        return self._call("GET", f"/api/v1/webhooks/{quote(webhook_id, safe='')}", {})

    def put_webhooks_webhook_id(
        self,
        webhook_id: str,
        body: envelope.PutWebhooksWebhookIdRequest,
    ) -> envelope.WebhookAnswer:
        """Change the URL, event types or description of a webhook, disable it, or enable it again. Scope: `write:configuration`. Limit: `configuration`. 422 unless `url` is an https address that webhooks may be sent to."""
        return self._call("PUT", f"/api/v1/webhooks/{quote(webhook_id, safe='')}", {}, body)

    def delete_webhooks_webhook_id(
        self,
        webhook_id: str,
    ) -> None:
        """Delete a webhook. Scope: `write:configuration`. Limit: `configuration`."""
        return self._call("DELETE", f"/api/v1/webhooks/{quote(webhook_id, safe='')}", {})

    def post_webhooks_webhook_id_test(
        self,
        webhook_id: str,
    ) -> envelope.PostWebhooksWebhookIdTestResponse:
        """Send a signed message of type `test` to a webhook, enabled or not, and report how its endpoint answered. Scope: `write:configuration`. Limit: `configuration`."""
        return self._call("POST", f"/api/v1/webhooks/{quote(webhook_id, safe='')}/test", {})

    def get_sensing_nodes(
        self,
    ) -> envelope.GetSensingNodesResponse:
        """List the nodes that send datagrams, and the trust in each. Scope: `write:configuration`. Limit: `configuration`."""
        return self._call("GET", "/api/v1/sensing-nodes", {})

    def post_sensing_nodes_node_id_enrolment(
        self,
        node_id: str,
    ) -> envelope.PostSensingNodesNodeIdEnrolmentResponse:
        """Enrol a node with a new key. Only its signed datagrams are accepted; its old key is valid until the new one is used. Scope: `admin`. Limit: `configuration`."""
        return self._call("POST", f"/api/v1/sensing-nodes/{quote(node_id, safe='')}/enrolment", {})

    def post_sensing_nodes_node_id_revocation(
        self,
        node_id: str,
        body: envelope.PostSensingNodesNodeIdRevocationRequest | None = None,
    ) -> None:
        """Revoke a node: delete its keys and reject its datagrams. Scope: `admin`. Limit: `configuration`."""
        return self._call("POST", f"/api/v1/sensing-nodes/{quote(node_id, safe='')}/revocation", {}, body)

    def post_sensing_nodes_node_id_quarantine(
        self,
        node_id: str,
        body: envelope.PostSensingNodesNodeIdQuarantineRequest | None = None,
    ) -> envelope.SensingNodeAnswer:
        """Quarantine a node: count and drop its datagrams until it is released or enrolled. Scope: `write:configuration`. Limit: `configuration`."""
        return self._call("POST", f"/api/v1/sensing-nodes/{quote(node_id, safe='')}/quarantine", {}, body)

    def post_sensing_nodes_node_id_release(
        self,
        node_id: str,
    ) -> envelope.SensingNodeAnswer:
        """Release a node: accept its datagrams, which must be signed if it has a key. Scope: `admin`. Limit: `configuration`."""
        return self._call("POST", f"/api/v1/sensing-nodes/{quote(node_id, safe='')}/release", {})

    def get_analytics_healthcare(
        self,
        *,
        period: Literal["hour", "day", "week", "month"] | None = None,
        date: str | None = None,
        environment_id: str | None = None,
        metrics: str | None = None,
    ) -> envelope.GetAnalyticsHealthcareResponse:
        """Get the falls, activities, mobility and rest of a period. Scope: `read:events`. Limit: `analytics`."""
        return self._call("GET", "/api/v1/analytics/healthcare", {"period": period, "date": date, "environment_id": environment_id, "metrics": metrics})

    def get_analytics_retail(
        self,
        *,
        period: Literal["hour", "day", "week", "month"] | None = None,
        date: str | None = None,
        environment_id: str | None = None,
    ) -> envelope.GetAnalyticsRetailResponse:
        """Get the visits, zones and conversion funnel of a period. Scope: `read:events`. Limit: `analytics`."""
        return self._call("GET", "/api/v1/analytics/retail", {"period": period, "date": date, "environment_id": environment_id})

    def get_analytics_security(
        self,
        *,
        period: Literal["hour", "day", "week", "month"] | None = None,
        date: str | None = None,
        environment_id: str | None = None,
        crowd_size: int | None = None,
    ) -> envelope.GetAnalyticsSecurityResponse:
        """Get the intrusions, entries and crowds of a period. Scope: `read:events`. Limit: `analytics`."""
        return self._call("GET", "/api/v1/analytics/security", {"period": period, "date": date, "environment_id": environment_id, "crowd_size": crowd_size})

    def get_analytics_summary(
        self,
        *,
        start_time: str,
        end_time: str,
        environment_id: str | None = None,
        granularity: Literal["hour", "day", "week"] | None = None,
    ) -> envelope.GetAnalyticsSummaryResponse:
        """Get a summary of a range: persons, events and system performance. Scope: `read:events`. Limit: `analytics`. 422 unless `end_time` is after `start_time`; the range has at most 10000 intervals and 366 days."""
        return self._call("GET", "/api/v1/analytics/summary", {"start_time": start_time, "end_time": end_time, "environment_id": environment_id, "granularity": granularity})

    def get_analytics_events(
        self,
        *,
        start_time: str | None = None,
        end_time: str | None = None,
        event_type: Literal["fall", "alert", "activity"] | None = None,
        severity: Literal["low", "medium", "high", "critical"] | None = None,
        environment_id: str | None = None,
        limit: int | None = None,
        before: str | None = None,
    ) -> envelope.GetAnalyticsEventsResponse:
        """List events: falls, alerts and activities, newest first. Scope: `read:events`. Limit: `analytics`. 422 unless `end_time` is after `start_time`; the range has at most 366 days; `before` is the id of an event."""
        return self._call("GET", "/api/v1/analytics/events", {"start_time": start_time, "end_time": end_time, "event_type": event_type, "severity": severity, "environment_id": environment_id, "limit": limit, "before": before})

    def get_analytics_occupancy(
        self,
        *,
        start_time: str,
        end_time: str,
        environment_id: str | None = None,
        interval: Literal["5min", "15min", "1hour"] | None = None,
    ) -> envelope.GetAnalyticsOccupancyResponse:
        """Get the number of persons over a range. Scope: `read:events`. Limit: `analytics`. 422 unless `end_time` is after `start_time`; the range has at most 10000 intervals and 366 days."""
        return self._call("GET", "/api/v1/analytics/occupancy", {"start_time": start_time, "end_time": end_time, "environment_id": environment_id, "interval": interval})

    def get_health_detailed(
        self,
    ) -> envelope.GetHealthDetailedResponse:
        """Get the health of each component, and the resource usage of this node. Scope: `read:system`. Limit: `health`."""
        return self._call("GET", "/api/v1/health/detailed", {})

    def get_metrics(
        self,
        *,
        start_time: str | None = None,
        end_time: str | None = None,
        metric_type: Literal["performance", "resources", "business"] | None = None,
    ) -> envelope.GetMetricsResponse:
        """Get the service's measurements, now and over a range. Scope: `read:system`. Limit: `health`. 422 unless `end_time` is after `start_time`."""
        return self._call("GET", "/api/v1/metrics", {"start_time": start_time, "end_time": end_time, "metric_type": metric_type})

    def get_root_metrics(
        self,
    ) -> str:
        """Get the metrics of this node as text for Prometheus. Scope: `read:system`. Limit: `monitoring`."""
        return self._call("GET", "/metrics", {})


class AsyncEnvelopeOperations:
    """The operations, asynchronous."""

    async def _call(self, method: str, path: str, query: dict[str, Any], body: Any = None) -> Any:
        raise NotImplementedError

    async def get_health(
        self,
    ) -> envelope.GetHealthResponse:
        """Check that this process serves, that its store answers, and that its frames are on time. Public. Limit: `health`."""
        return await self._call("GET", "/api/v1/health", {})

    async def get_health_live(
        self,
    ) -> envelope.GetHealthLiveResponse:
        """Liveness probe: check that this process serves. Also at /health/live. Public. Limit: `monitoring`."""
        return await self._call("GET", "/api/v1/health/live", {})

    async def get_health_ready(
        self,
    ) -> envelope.GetHealthReadyResponse:
        """Readiness probe: check the database, the data disk and the system session. Also at /health/ready. Public. Limit: `monitoring`."""
        return await self._call("GET", "/api/v1/health/ready", {})

    async def post_auth_token(
        self,
        body: envelope.PostAuthTokenRequest,
    ) -> envelope.TokensAnswer:
        """Sign in with a user name and a password. Public. Limit: `authentication`."""
        return await self._call("POST", "/api/v1/auth/token", {}, body)

    async def post_auth_refresh(
        self,
        body: envelope.PostAuthRefreshRequest,
    ) -> envelope.TokensAnswer:
        """Exchange a refresh token for new tokens. A second use of a refresh token ends the sign-in. Public. Limit: `authentication`."""
        return await self._call("POST", "/api/v1/auth/refresh", {}, body)

    async def post_auth_logout(
        self,
        body: envelope.PostAuthLogoutRequest,
    ) -> None:
        """Sign out: end the sign-in of a refresh token and revoke all its tokens. Public. Limit: `authentication`."""
        return await self._call("POST", "/api/v1/auth/logout", {}, body)

    async def post_auth_keys_rotate(
        self,
        body: envelope.PostAuthKeysRotateRequest | None = None,
    ) -> envelope.PostAuthKeysRotateResponse:
        """Rotate the key that signs access tokens. Tokens of the old key stay valid until they expire. Scope: `admin`. Limit: `authentication`."""
        return await self._call("POST", "/api/v1/auth/keys/rotate", {}, body)

    async def post_auth_ticket(
        self,
    ) -> envelope.SocketTicketAnswer:
        """Get a ticket that opens one WebSocket, so that the address holds no access token. For every authenticated caller. Limit: `pose-data`."""
        return await self._call("POST", "/api/v1/auth/ticket", {})

    async def post_auth_api_keys(
        self,
        body: envelope.PostAuthApiKeysRequest,
    ) -> envelope.PostAuthApiKeysResponse:
        """Create an API key for a service. Scope: `admin`. Limit: `authentication`. 422 unless `expires_at` is in the future; `scopes` are among those of the role."""
        return await self._call("POST", "/api/v1/auth/api-keys", {}, body)

    async def get_auth_api_keys(
        self,
    ) -> envelope.GetAuthApiKeysResponse:
        """List the API keys, without the keys themselves. Scope: `admin`. Limit: `authentication`."""
        return await self._call("GET", "/api/v1/auth/api-keys", {})

    async def delete_auth_api_keys_key_id(
        self,
        key_id: str,
    ) -> None:
        """Revoke an API key. Scope: `admin`. Limit: `authentication`."""
        return await self._call("DELETE", f"/api/v1/auth/api-keys/{quote(key_id, safe='')}", {})

    async def get_auth_users(
        self,
    ) -> envelope.GetAuthUsersResponse:
        """List the users. Scope: `admin`. Limit: `authentication`."""
        return await self._call("GET", "/api/v1/auth/users", {})

    async def post_auth_users(
        self,
        body: envelope.PostAuthUsersRequest,
    ) -> envelope.UserAnswer:
        """Add a user. Scope: `admin`. Limit: `authentication`."""
        return await self._call("POST", "/api/v1/auth/users", {}, body)

    async def put_auth_users_user_id(
        self,
        user_id: str,
        body: envelope.PutAuthUsersUserIdRequest,
    ) -> envelope.UserAnswer:
        """Change the role or the password of a user. The user's sign-ins end. Scope: `admin`. Limit: `authentication`. 422 unless `role`, `password` or both are given."""
        return await self._call("PUT", f"/api/v1/auth/users/{quote(user_id, safe='')}", {}, body)

    async def delete_auth_users_user_id(
        self,
        user_id: str,
    ) -> None:
        """Remove a user. The user's sign-ins end. Scope: `admin`. Limit: `authentication`."""
        return await self._call("DELETE", f"/api/v1/auth/users/{quote(user_id, safe='')}", {})

    async def post_auth_password(
        self,
        body: envelope.PostAuthPasswordRequest,
    ) -> None:
        """Change your own password. Your other sign-ins end. For every authenticated caller. Limit: `authentication`."""
        return await self._call("POST", "/api/v1/auth/password", {}, body)

    async def get_pose_latest(
        self,
        *,
        environment_id: str | None = None,
        min_confidence: float | None = None,
        include_keypoints: bool | None = None,
        include_3d: bool | None = None,
        include_dense_pose: bool | None = None,
    ) -> envelope.PoseFrameAnswer:
        """Get the newest pose frame of an environment, or of all environments. Scope: `read:poses`. Limit: `pose-data`."""
        return await self._call("GET", "/api/v1/pose/latest", {"environment_id": environment_id, "min_confidence": min_confidence, "include_keypoints": include_keypoints, "include_3d": include_3d, "include_dense_pose": include_dense_pose})

    async def get_pose_history(
        self,
        *,
        start_time: str,
        end_time: str,
        environment_id: str | None = None,
        person_id: int | None = None,
        track_id: int | None = None,
        confidence_threshold: float | None = None,
        min_confidence: float | None = None,
        include_keypoints: bool | None = None,
        include_3d: bool | None = None,
        page: int | None = None,
        per_page: int | None = None,
    ) -> envelope.GetPoseHistoryResponse:
        """List stored frames by cursor (bare form), or stored persons by page (envelope form). Scope: `read:poses`. Limit: `pose-data`. 422 unless `end_time` is after `start_time`; `cursor` is the `next_cursor` of an answer; a field and its alias, if both are given, are equal."""
        return await self._call("GET", "/api/v1/pose/history", {"start_time": start_time, "end_time": end_time, "environment_id": environment_id, "person_id": person_id, "track_id": track_id, "confidence_threshold": confidence_threshold, "min_confidence": min_confidence, "include_keypoints": include_keypoints, "include_3d": include_3d, "page": page, "per_page": per_page})

    async def post_pose_query(
        self,
        body: envelope.PostPoseQueryRequest,
    ) -> envelope.PostPoseQueryResponse:
        """Query stored frames, singly or as summaries of intervals. Scope: `read:poses`. Limit: `pose-data`. 422 unless `end` is after `start`; `person_count.max` is not below `min`; `cursor` is the `next_cursor` of an answer; a field and its alias, if both are given, are equal."""
        return await self._call("POST", "/api/v1/pose/query", {}, body)

    async def post_pose_process(
        self,
        body: envelope.PostPoseProcessRequest,
    ) -> envelope.PostPoseProcessResponse:
        """Submit CSI packets to their routers, and get the poses of their times if there are any. Scope: `process:csi`. Limit: `pose-processing`. 422 unless a field and its alias, if both are given, are equal; all antennas have the same number of subcarriers. Invalid packets of a batch are results, and do not reject the request."""
        return await self._call("POST", "/api/v1/pose/process", {}, body)

    async def get_pose_tracking(
        self,
        *,
        environment_id: str | None = None,
    ) -> envelope.GetPoseTrackingResponse:
        """The tracks of all environments: persons who are seen now, or were lost a moment ago. Scope: `read:poses`. Limit: `pose-data`."""
        return await self._call("GET", "/api/v1/pose/tracking", {"environment_id": environment_id})

    async def get_pose_tracking_track_id(
        self,
        track_id: str,
        *,
        start_time: str | None = None,
        end_time: str | None = None,
        include_trajectory: bool | None = None,
        environment_id: str | None = None,
    ) -> envelope.GetPoseTrackingTrackIdResponse:
        """Get the record of a track, active or stored. Scope: `read:poses`. Limit: `pose-data`. 422 unless `end_time` is after `start_time`."""
        return await self._call("GET", f"/api/v1/pose/tracking/{quote(track_id, safe='')}", {"start_time": start_time, "end_time": end_time, "include_trajectory": include_trajectory, "environment_id": environment_id})

    async def get_system_status(
        self,
    ) -> envelope.GetSystemStatusResponse:
        """Get the status of the system and its components. Scope: `read:system`. Limit: `health`."""
        return await self._call("GET", "/api/v1/system/status", {})

    async def post_system_start(
        self,
        body: envelope.PostSystemStartRequest | None = None,
    ) -> envelope.PostSystemStartResponse:
        """Start pose estimation. Its settings are saved in the configuration. Scope: `write:configuration`. Limit: `configuration`."""
        return await self._call("POST", "/api/v1/system/start", {}, body)

    async def post_system_stop(
        self,
        body: envelope.PostSystemStopRequest | None = None,
    ) -> envelope.PostSystemStopResponse:
        """Stop pose estimation. Scope: `write:configuration`. Limit: `configuration`."""
        return await self._call("POST", "/api/v1/system/stop", {}, body)

    async def post_system_restart(
        self,
    ) -> envelope.PostSystemRestartResponse:
        """Restart pose estimation in a new session. Scope: `write:configuration`. Limit: `configuration`."""
        return await self._call("POST", "/api/v1/system/restart", {})

    async def get_system_calibration(
        self,
        *,
        environment_id: str | None = None,
    ) -> envelope.CalibrationsAnswer:
        """Get the calibration of each router. Scope: `read:system`. Limit: `health`."""
        return await self._call("GET", "/api/v1/system/calibration", {"environment_id": environment_id})

    async def post_system_calibration(
        self,
        body: envelope.PostSystemCalibrationRequest | None = None,
    ) -> envelope.CalibrationsAnswer:
        """Start a calibration: of the empty room first, then of the occupied room. Scope: `write:configuration`. Limit: `configuration`."""
        return await self._call("POST", "/api/v1/system/calibration", {}, body)

    async def get_config(
        self,
    ) -> envelope.ConfigurationAnswer:
        """Get the configuration. Scope: `read:system`. Limit: `configuration`."""
        return await self._call("GET", "/api/v1/config", {})

    async def put_config(
        self,
        body: envelope.PutConfigRequest,
    ) -> envelope.PutConfigResponse:
        """Change settings of the configuration, by the names of either form, nested or dotted. Scope: `write:configuration`. Limit: `configuration`. 422 unless `If-Match` is an ETag of this resource or `*`; fields that are reported only are absent; a field and its alias, if both are given, are equal."""
        return await self._call("PUT", "/api/v1/config", {}, body)

    async def get_config_schema(
        self,
    ) -> envelope.GetConfigSchemaResponse:
        """Get the schema of the configuration: types, bounds, descriptions and defaults. Scope: `read:system`. Limit: `configuration`."""
        return await self._call("GET", "/api/v1/config/schema", {})

    async def get_config_changes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> envelope.GetConfigChangesResponse:
        """List the changes of the configuration with their authors, newest first. Scope: `admin`. Limit: `configuration`. 422 unless `cursor` is the `next_cursor` of an answer."""
        return await self._call("GET", "/api/v1/config/changes", {"limit": limit, "cursor": cursor})

    async def get_system_diagnostics(
        self,
    ) -> envelope.GetSystemDiagnosticsResponse:
        """Get diagnostics about missing frames. Scope: `write:configuration`. Limit: `health`."""
        return await self._call("GET", "/api/v1/system/diagnostics", {})

    async def get_system_findings(
        self,
    ) -> envelope.GetSystemFindingsResponse:
        """Examine the service twice within seconds, and say what prevents frames and what to do. Scope: `write:configuration`. Limit: `health`."""
        return await self._call("GET", "/api/v1/system/findings", {})

    async def get_system_inventory(
        self,
    ) -> envelope.GetSystemInventoryResponse:
        """List the nodes, the plugins and the pose networks in use with their cards. Scope: `write:configuration`. Limit: `health`."""
        return await self._call("GET", "/api/v1/system/inventory", {})

    async def get_environments(
        self,
    ) -> envelope.GetEnvironmentsResponse:
        """List the enrolled environments, active or not, with their routers and origins. Scope: `read:system`. Limit: `configuration`."""
        return await self._call("GET", "/api/v1/environments", {})

    async def post_environments(
        self,
        body: envelope.PostEnvironmentsRequest,
    ) -> envelope.EnvironmentAnswer:
        """Create an environment of real routers. Scope: `write:configuration`. Limit: `configuration`. 422 unless nodes are inside the room, zones have an area, and ids are unique."""
        return await self._call("POST", "/api/v1/environments", {}, body)

    async def get_environments_environment_id(
        self,
        environment_id: str,
    ) -> envelope.EnvironmentAnswer:
        """One enrolled environment with its geometry and zones. Scope: `read:system`. Limit: `configuration`."""
        return await self._call("GET", f"/api/v1/environments/{quote(environment_id, safe='')}", {})

    async def put_environments_environment_id(
        self,
        environment_id: str,
        body: envelope.PutEnvironmentsEnvironmentIdRequest,
    ) -> envelope.EnvironmentAnswer:
        """Change the name, geometry, zones or routers of an environment; fields that are not given stay. Scope: `write:configuration`. Limit: `configuration`. 422 unless nodes are inside the room, zones have an area, and ids are unique; `If-Match` is an ETag of this resource or `*`."""
        return await self._call("PUT", f"/api/v1/environments/{quote(environment_id, safe='')}", {}, body)

    async def delete_environments_environment_id(
        self,
        environment_id: str,
        *,
        history: Literal["keep", "drop"] | None = None,
    ) -> envelope.DeleteEnvironmentsEnvironmentIdResponse:
        """Remove an environment with its routers and their calibrations. Its streams end. Scope: `write:configuration`. Limit: `configuration`."""
        return await self._call("DELETE", f"/api/v1/environments/{quote(environment_id, safe='')}", {"history": history})

    async def post_environments_environment_id_coverage(
        self,
        environment_id: str,
        body: envelope.PostEnvironmentsEnvironmentIdCoverageRequest | None = None,
    ) -> envelope.CoverageAnswer:
        """Simulate the coverage of a plan, by default that of the environment, on the answering node, which does one at a time. Scope: `write:configuration`. Limit: `pose-processing`. 422 unless nodes are inside the room, zones have an area, and ids are unique; there are 2 to 16 nodes."""
        return await self._call("POST", f"/api/v1/environments/{quote(environment_id, safe='')}/coverage", {}, body)

    async def get_environments_environment_id_coverage(
        self,
        environment_id: str,
    ) -> envelope.CoverageAnswer:
        """The newest simulation of an environment's coverage on the answering node. Scope: `read:system`. Limit: `health`."""
        return await self._call("GET", f"/api/v1/environments/{quote(environment_id, safe='')}/coverage", {})

    async def get_alerts(
        self,
        *,
        environment_id: str | None = None,
        status: Literal["open", "acknowledged", "cleared"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> envelope.GetAlertsResponse:
        """The alerts of all environments, the newest first, by when what they report began. Scope: `read:events`. Limit: `analytics`. 422 unless `cursor` is the `next_cursor` of an answer."""
        return await self._call("GET", "/api/v1/alerts", {"environment_id": environment_id, "status": status, "limit": limit, "cursor": cursor})

    async def post_alerts_alert_id_acknowledge(
        self,
        alert_id: str,
    ) -> envelope.PostAlertsAlertIdAcknowledgeResponse:
        """Acknowledge an open alert; subscribers are notified with `alert_update`. Scope: `write:events`. Limit: `analytics`."""
        return await self._call("POST", f"/api/v1/alerts/{quote(alert_id, safe='')}/acknowledge", {})

    async def get_labels(
        self,
        *,
        environment_id: str,
        start_time: str | None = None,
        end_time: str | None = None,
        cursor: str | None = None,
    ) -> envelope.GetLabelsResponse:
        """The labels of a room in a range, the newest first, 200 in a page. Scope: `read:events`. Limit: `analytics`."""
        return await self._call("GET", "/api/v1/labels", {"environment_id": environment_id, "start_time": start_time, "end_time": end_time, "cursor": cursor})

    async def post_labels(
        self,
        body: envelope.PostLabelsRequest,
    ) -> envelope.LabelAnswer:
        """Label a span of time. Labels of a room cannot overlap. Scope: `write:events`. Limit: `configuration`. 422 unless `end_time` is after `start_time`; the span has at most a week and overlaps no other label of the room."""
        return await self._call("POST", "/api/v1/labels", {}, body)

    async def delete_labels_label_id(
        self,
        label_id: str,
    ) -> None:
        """Delete a label. Scope: `write:events`. Limit: `configuration`."""
        return await self._call("DELETE", f"/api/v1/labels/{quote(label_id, safe='')}", {})

    async def get_labels_export(
        self,
        *,
        environment_id: str,
        file: str,
        start_time: str,
        link: str | None = None,
        end_time: str | None = None,
    ) -> str:
        """The labels of a recording as CSV, for `npm run eval -- --recordings DIR --labels FILE`. Scope: `read:events`. Limit: `analytics`."""
        return await self._call("GET", "/api/v1/labels/export", {"environment_id": environment_id, "file": file, "link": link, "start_time": start_time, "end_time": end_time})

    async def post_home_tokens(
        self,
        body: envelope.PostHomeTokensRequest,
    ) -> envelope.PostHomeTokensResponse:
        """Create a long-lived token for a client of the home API. Scope: `admin`. Limit: `authentication`."""
        return await self._call("POST", "/api/v1/home/tokens", {}, body)

    async def get_home_tokens(
        self,
    ) -> envelope.GetHomeTokensResponse:
        """List the tokens of the home API, without the tokens themselves. Scope: `admin`. Limit: `authentication`."""
        return await self._call("GET", "/api/v1/home/tokens", {})

    async def delete_home_tokens_token_id(
        self,
        token_id: str,
    ) -> None:
        """Revoke a token of the home API. Its connections end. Scope: `admin`. Limit: `authentication`."""
        return await self._call("DELETE", f"/api/v1/home/tokens/{quote(token_id, safe='')}", {})

    async def post_webhooks(
        self,
        body: envelope.PostWebhooksRequest,
    ) -> envelope.PostWebhooksResponse:
        """Create a webhook: events are delivered signed, at least once, with retries for hours. Scope: `write:configuration`. Limit: `configuration`. 422 unless `url` is an https address that webhooks may be sent to."""
        return await self._call("POST", "/api/v1/webhooks", {}, body)

    async def get_webhooks(
        self,
    ) -> envelope.GetWebhooksResponse:
        """List the webhooks with their status, without their secrets. Scope: `write:configuration`. Limit: `configuration`."""
        return await self._call("GET", "/api/v1/webhooks", {})

    async def get_webhooks_webhook_id(
        self,
        webhook_id: str,
    ) -> envelope.WebhookAnswer:
        """Get a webhook with its status. Scope: `write:configuration`. Limit: `configuration`."""
        return await self._call("GET", f"/api/v1/webhooks/{quote(webhook_id, safe='')}", {})

    async def put_webhooks_webhook_id(
        self,
        webhook_id: str,
        body: envelope.PutWebhooksWebhookIdRequest,
    ) -> envelope.WebhookAnswer:
        """Change the URL, event types or description of a webhook, disable it, or enable it again. Scope: `write:configuration`. Limit: `configuration`. 422 unless `url` is an https address that webhooks may be sent to."""
        return await self._call("PUT", f"/api/v1/webhooks/{quote(webhook_id, safe='')}", {}, body)

    async def delete_webhooks_webhook_id(
        self,
        webhook_id: str,
    ) -> None:
        """Delete a webhook. Scope: `write:configuration`. Limit: `configuration`."""
        return await self._call("DELETE", f"/api/v1/webhooks/{quote(webhook_id, safe='')}", {})

    async def post_webhooks_webhook_id_test(
        self,
        webhook_id: str,
    ) -> envelope.PostWebhooksWebhookIdTestResponse:
        """Send a signed message of type `test` to a webhook, enabled or not, and report how its endpoint answered. Scope: `write:configuration`. Limit: `configuration`."""
        return await self._call("POST", f"/api/v1/webhooks/{quote(webhook_id, safe='')}/test", {})

    async def get_sensing_nodes(
        self,
    ) -> envelope.GetSensingNodesResponse:
        """List the nodes that send datagrams, and the trust in each. Scope: `write:configuration`. Limit: `configuration`."""
        return await self._call("GET", "/api/v1/sensing-nodes", {})

    async def post_sensing_nodes_node_id_enrolment(
        self,
        node_id: str,
    ) -> envelope.PostSensingNodesNodeIdEnrolmentResponse:
        """Enrol a node with a new key. Only its signed datagrams are accepted; its old key is valid until the new one is used. Scope: `admin`. Limit: `configuration`."""
        return await self._call("POST", f"/api/v1/sensing-nodes/{quote(node_id, safe='')}/enrolment", {})

    async def post_sensing_nodes_node_id_revocation(
        self,
        node_id: str,
        body: envelope.PostSensingNodesNodeIdRevocationRequest | None = None,
    ) -> None:
        """Revoke a node: delete its keys and reject its datagrams. Scope: `admin`. Limit: `configuration`."""
        return await self._call("POST", f"/api/v1/sensing-nodes/{quote(node_id, safe='')}/revocation", {}, body)

    async def post_sensing_nodes_node_id_quarantine(
        self,
        node_id: str,
        body: envelope.PostSensingNodesNodeIdQuarantineRequest | None = None,
    ) -> envelope.SensingNodeAnswer:
        """Quarantine a node: count and drop its datagrams until it is released or enrolled. Scope: `write:configuration`. Limit: `configuration`."""
        return await self._call("POST", f"/api/v1/sensing-nodes/{quote(node_id, safe='')}/quarantine", {}, body)

    async def post_sensing_nodes_node_id_release(
        self,
        node_id: str,
    ) -> envelope.SensingNodeAnswer:
        """Release a node: accept its datagrams, which must be signed if it has a key. Scope: `admin`. Limit: `configuration`."""
        return await self._call("POST", f"/api/v1/sensing-nodes/{quote(node_id, safe='')}/release", {})

    async def get_analytics_healthcare(
        self,
        *,
        period: Literal["hour", "day", "week", "month"] | None = None,
        date: str | None = None,
        environment_id: str | None = None,
        metrics: str | None = None,
    ) -> envelope.GetAnalyticsHealthcareResponse:
        """Get the falls, activities, mobility and rest of a period. Scope: `read:events`. Limit: `analytics`."""
        return await self._call("GET", "/api/v1/analytics/healthcare", {"period": period, "date": date, "environment_id": environment_id, "metrics": metrics})

    async def get_analytics_retail(
        self,
        *,
        period: Literal["hour", "day", "week", "month"] | None = None,
        date: str | None = None,
        environment_id: str | None = None,
    ) -> envelope.GetAnalyticsRetailResponse:
        """Get the visits, zones and conversion funnel of a period. Scope: `read:events`. Limit: `analytics`."""
        return await self._call("GET", "/api/v1/analytics/retail", {"period": period, "date": date, "environment_id": environment_id})

    async def get_analytics_security(
        self,
        *,
        period: Literal["hour", "day", "week", "month"] | None = None,
        date: str | None = None,
        environment_id: str | None = None,
        crowd_size: int | None = None,
    ) -> envelope.GetAnalyticsSecurityResponse:
        """Get the intrusions, entries and crowds of a period. Scope: `read:events`. Limit: `analytics`."""
        return await self._call("GET", "/api/v1/analytics/security", {"period": period, "date": date, "environment_id": environment_id, "crowd_size": crowd_size})

    async def get_analytics_summary(
        self,
        *,
        start_time: str,
        end_time: str,
        environment_id: str | None = None,
        granularity: Literal["hour", "day", "week"] | None = None,
    ) -> envelope.GetAnalyticsSummaryResponse:
        """Get a summary of a range: persons, events and system performance. Scope: `read:events`. Limit: `analytics`. 422 unless `end_time` is after `start_time`; the range has at most 10000 intervals and 366 days."""
        return await self._call("GET", "/api/v1/analytics/summary", {"start_time": start_time, "end_time": end_time, "environment_id": environment_id, "granularity": granularity})

    async def get_analytics_events(
        self,
        *,
        start_time: str | None = None,
        end_time: str | None = None,
        event_type: Literal["fall", "alert", "activity"] | None = None,
        severity: Literal["low", "medium", "high", "critical"] | None = None,
        environment_id: str | None = None,
        limit: int | None = None,
        before: str | None = None,
    ) -> envelope.GetAnalyticsEventsResponse:
        """List events: falls, alerts and activities, newest first. Scope: `read:events`. Limit: `analytics`. 422 unless `end_time` is after `start_time`; the range has at most 366 days; `before` is the id of an event."""
        return await self._call("GET", "/api/v1/analytics/events", {"start_time": start_time, "end_time": end_time, "event_type": event_type, "severity": severity, "environment_id": environment_id, "limit": limit, "before": before})

    async def get_analytics_occupancy(
        self,
        *,
        start_time: str,
        end_time: str,
        environment_id: str | None = None,
        interval: Literal["5min", "15min", "1hour"] | None = None,
    ) -> envelope.GetAnalyticsOccupancyResponse:
        """Get the number of persons over a range. Scope: `read:events`. Limit: `analytics`. 422 unless `end_time` is after `start_time`; the range has at most 10000 intervals and 366 days."""
        return await self._call("GET", "/api/v1/analytics/occupancy", {"start_time": start_time, "end_time": end_time, "environment_id": environment_id, "interval": interval})

    async def get_health_detailed(
        self,
    ) -> envelope.GetHealthDetailedResponse:
        """Get the health of each component, and the resource usage of this node. Scope: `read:system`. Limit: `health`."""
        return await self._call("GET", "/api/v1/health/detailed", {})

    async def get_metrics(
        self,
        *,
        start_time: str | None = None,
        end_time: str | None = None,
        metric_type: Literal["performance", "resources", "business"] | None = None,
    ) -> envelope.GetMetricsResponse:
        """Get the service's measurements, now and over a range. Scope: `read:system`. Limit: `health`. 422 unless `end_time` is after `start_time`."""
        return await self._call("GET", "/api/v1/metrics", {"start_time": start_time, "end_time": end_time, "metric_type": metric_type})

    async def get_root_metrics(
        self,
    ) -> str:
        """Get the metrics of this node as text for Prometheus. Scope: `read:system`. Limit: `monitoring`."""
        return await self._call("GET", "/metrics", {})
