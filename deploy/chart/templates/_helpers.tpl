{{- define "wavepose.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "wavepose.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "wavepose.labels" -}}
{{ include "wavepose.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "wavepose.secret" -}}
{{- .Values.existingSecret | default (include "wavepose.name" .) -}}
{{- end -}}

{{/* The scheme of the pose API, for probes: HTTPS if the nodes have a certificate, of the chart or in their settings. */}}
{{- define "wavepose.scheme" -}}
{{- if or .Values.tls.secret (hasKey .Values.settings "WAVEPOSE_TLS_CERT") }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}

{{/* The protocol of gRPC, for Gateways and meshes. It has TLS with a certificate of its own, or with that of the pose API. */}}
{{- define "wavepose.grpcProtocol" -}}
{{- if or (eq (include "wavepose.scheme" .) "HTTPS") (hasKey .Values.settings "WAVEPOSE_GRPC_TLS_CERT") }}https{{ else }}kubernetes.io/h2c{{ end }}
{{- end }}
