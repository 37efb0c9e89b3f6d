// Texts for the reasons why a native frame has no name.
import type { Unresolved } from '@hearth/client'

export const REASON_TEXTS: Readonly<Record<Unresolved['reason'], string>> = {
  'no-build-id': 'without a build id',
  'no-debug-info': 'without a debug file',
  downloading: 'being downloaded',
  'download-failed': 'whose download failed',
  'not-in-file': 'not in their debug file',
}
