// A light entry point without the server and its engine: settings, access and the API description.
export type { Config, SettingName } from './config/settings.ts'
export { SETTING_NAMES, environmentName, settings } from './config/settings.ts'
export { ConfigError, loadConfig } from './config/load-config.ts'
export { retention, retentionText } from './config/retention.ts'
export { ValueError, count, duration } from './config/setting-values.ts'
export type { Access } from './access/access-file.ts'
export {
  AccessFileError,
  accessFileIn,
  isTenantName,
  openAccess,
  readAccess,
  writeAccess,
} from './access/access-file.ts'
export { isLoopback } from './access/gatekeeper.ts'
export type { AuditAction, AuditEntry, AuditEvent } from './access/audit-log.ts'
export { AUDIT_ACTIONS, appendAudit, readAudit } from './access/audit-log.ts'
export type { AccessScope, TokenRow } from './access/tokens.ts'
export { SCOPES, isExpired, makeToken, rotateToken } from './access/tokens.ts'
export type { ApiDocument, ApiOperation, ApiParameter, JsonSchema, PathItem } from './api/v1/openapi.ts'
export { apiDocument } from './api/v1/openapi.ts'
export type { SourceText } from './source/source-folders.ts'
export { openSources } from './source/open-sources.ts'
export { functionAssembly } from './symbols/assembly/function-assembly.ts'
export { codeCosts, instructionCosts } from './symbols/assembly/instruction-costs.ts'
