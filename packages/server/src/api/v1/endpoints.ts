// Every endpoint below /api/v1. The routes, the OpenAPI document, the client's types and docs/api.md come from these lists.
import { audit } from './access/audit.ts'
import { countDeletion } from './access/count-deletion.ts'
import { createToken } from './access/create-token.ts'
import { deletion } from './access/deletion.ts'
import { deletions } from './access/deletions.ts'
import { session } from './access/session.ts'
import { signIn } from './access/sign-in.ts'
import { signOut } from './access/sign-out.ts'
import { startDeletion } from './access/start-deletion.ts'
import { addTrigger } from './broker/add-trigger.ts'
import { cancelCapture } from './broker/cancel-capture.ts'
import { captureProfile } from './broker/capture-profile.ts'
import { capture } from './broker/capture.ts'
import { captures } from './broker/captures.ts'
import { changeTrigger } from './broker/change-trigger.ts'
import { components } from './broker/components.ts'
import { dryRun } from './broker/dry-run.ts'
import { removeTrigger } from './broker/remove-trigger.ts'
import { sendEvent } from './broker/send-event.ts'
import { startCapture } from './broker/start-capture.ts'
import { triggerHistory } from './broker/trigger-history.ts'
import { triggers } from './broker/triggers.ts'
import { watchEvents } from './broker/watch-events.ts'
import { demo } from './demo/demo.ts'
import { loadDemo } from './demo/load-demo.ts'
import { removeDemo } from './demo/remove-demo.ts'
import type { Endpoint, MainEndpoint } from './endpoint.ts'
import { addDeployment } from './monitor/add-deployment.ts'
import { addSilence } from './monitor/add-silence.ts'
import { alertRules } from './monitor/alert-rules.ts'
import { alerts } from './monitor/alerts.ts'
import { backfillRecordingRule } from './monitor/backfill-recording-rule.ts'
import { changeFinding } from './monitor/change-finding.ts'
import { finding } from './monitor/finding.ts'
import { findings } from './monitor/findings.ts'
import { notifications } from './monitor/notifications.ts'
import { previewRecordingRule } from './monitor/preview-recording-rule.ts'
import { putAlertRule } from './monitor/put-alert-rule.ts'
import { putReceiver } from './monitor/put-receiver.ts'
import { putRecordingRule } from './monitor/put-recording-rule.ts'
import { receivers } from './monitor/receivers.ts'
import { recordingRules } from './monitor/recording-rules.ts'
import { removeAlertRule } from './monitor/remove-alert-rule.ts'
import { removeReceiver } from './monitor/remove-receiver.ts'
import { removeRecordingRule } from './monitor/remove-recording-rule.ts'
import { removeSilence } from './monitor/remove-silence.ts'
import { report } from './monitor/report.ts'
import { source } from './profiles/source.ts'
import { queryEndpoints } from './query-endpoints.ts'
import { addAnnotation } from './saved/add-annotation.ts'
import { addView } from './saved/add-view.ts'
import { annotations } from './saved/annotations.ts'
import { removeAnnotation } from './saved/remove-annotation.ts'
import { removeView } from './saved/remove-view.ts'
import { views } from './saved/views.ts'
import { targets } from './scrape/targets.ts'
import { status } from './status/status.ts'
import { checkSymbols } from './symbols/check-symbols.ts'
import { removeSymbols } from './symbols/remove-symbols.ts'
import { retrySymbols } from './symbols/retry-symbols.ts'
import { symbolFiles } from './symbols/symbol-files.ts'
import { uploadSymbols } from './symbols/upload-symbols.ts'

export const PREFIX = '/api/v1'

/** The endpoints that run on the main thread. */
export const mainEndpoints: readonly MainEndpoint[] = [
  status,
  targets,
  source,
  views,
  addView,
  removeView,
  annotations,
  addAnnotation,
  removeAnnotation,
  components,
  captures,
  startCapture,
  capture,
  cancelCapture,
  captureProfile,
  triggers,
  addTrigger,
  changeTrigger,
  removeTrigger,
  dryRun,
  triggerHistory,
  watchEvents,
  sendEvent,
  findings,
  finding,
  changeFinding,
  addDeployment,
  alerts,
  addSilence,
  removeSilence,
  notifications,
  alertRules,
  putAlertRule,
  removeAlertRule,
  recordingRules,
  putRecordingRule,
  removeRecordingRule,
  previewRecordingRule,
  backfillRecordingRule,
  receivers,
  putReceiver,
  removeReceiver,
  report,
  session,
  signIn,
  signOut,
  createToken,
  audit,
  symbolFiles,
  uploadSymbols,
  removeSymbols,
  checkSymbols,
  retrySymbols,
  countDeletion,
  startDeletion,
  deletions,
  deletion,
  demo,
  loadDemo,
  removeDemo,
]

/** In the order of docs/api.md. */
export const endpoints: readonly Endpoint[] = [...queryEndpoints, ...mainEndpoints]
