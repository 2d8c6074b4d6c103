{{- define "toolway.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "toolway.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "toolway.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "toolway.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "toolway.selector" -}}
app.kubernetes.io/name: {{ include "toolway.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "toolway.labels" -}}
{{ include "toolway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "toolway.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{- end -}}
{{- end -}}
{{- end }}

{{- define "toolway.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "toolway.fullname" .) -}}
{{- end }}

{{- define "toolway.stdioNamespace" -}}
{{- .Values.stdio.namespace -}}
{{- end }}

{{- /* "true" where a setting comes from a Secret. */}}
{{- define "toolway.hasSecret" -}}
{{- range .root.Values.secrets }}{{ if eq .setting $.setting }}true{{ end }}{{ end -}}
{{- end }}

{{- define "toolway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "toolway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
privileged: false
capabilities: { drop: [ALL] }
{{- end }}

{{- /* Each secret as NAME_FILE. */}}
{{- define "toolway.secretEnvironment" -}}
{{- range .Values.secrets }}
- name: {{ .setting }}_FILE
  value: /etc/toolway/secrets/{{ .setting }}
{{- end }}
{{- end }}

{{- define "toolway.secretVolume" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range .Values.secrets }}
      - secret:
          name: {{ .secret }}
          items: [{ key: {{ .key | quote }}, path: {{ .setting }} }]
      {{- end }}
{{- end }}

{{- /* Everything but private, shared and metadata addresses. */}}
{{- define "toolway.publicAddresses" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except: [10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16, 168.63.129.16/32]
- ipBlock:
    cidr: ::/0
    # Private addresses also have names in IPv6: translated and tunnelled ones.
    except: ['fc00::/7', 'fe80::/10', '::1/128', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16']
{{- end }}

{{- /* What cannot work is refused here, with what to do. */}}
{{- define "toolway.check" -}}
{{- if and (eq .Values.stdio.mode "jobs") (or (not .Values.stdio.namespace) (eq .Values.stdio.namespace .Release.Namespace)) -}}
{{- fail "With stdio.mode=jobs name a namespace of its own in stdio.namespace: the gateways may make Pods there and attach to all of them. Label it pod-security.kubernetes.io/enforce=restricted." -}}
{{- end -}}
{{- $gateways := 0 -}}
{{- range .Values.groups -}}
{{- $gateways = add $gateways (ternary (int .autoscaling.maxReplicas) (int .replicas) .autoscaling.enabled) -}}
{{- end -}}
{{- if gt (int $gateways) 1 -}}
{{- range $setting := list "DATABASE_URL" "MCP_ENCRYPTION_KEY" -}}
{{- if not (include "toolway.hasSecret" (dict "root" $ "setting" $setting)) -}}
{{- fail (printf "Several gateways share %s: name the Secret that holds it in `secrets`, or set one group with replicas: 1 (embedded database on its volume)." $setting) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.host is the name under which clients reach the gateway: set it, or leave ingress.enabled false." -}}
{{- end -}}
{{- end }}
