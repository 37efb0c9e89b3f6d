// Writes the profiles of a capture as one file.
import { concat } from '@hearth/profile'
import { mergedCapture } from '../../../broker/captures/merged-capture.ts'
import { exportProfiles } from '../../../query/profiles/export-profiles.ts'
import { MissingSymbols } from '../../../query/profiles/missing-symbols.ts'
import type { Query } from '../../../query/query.ts'
import type { QueryContext } from '../../../query/query-context.ts'
import type { TenantLimits } from '../limits/query-gate.ts'
import { collectProfiles } from '../profiles/collect-profiles.ts'
import { FileResponse } from '../response/file-response.ts'
import type { Encoding } from '../response/negotiate.ts'

/** Plain data, because a query thread writes the file. */
export interface CaptureFile {
  readonly query: Omit<Query, 'signal'>
  readonly limits: TenantLimits
  readonly format: string
  /** Whether the profiles of all instances are merged. */
  readonly isMerged: boolean
  /** The name of the file without its extension. */
  readonly name: string
  /** The message if no profile is stored: retention may have dropped them. */
  readonly ifNone: string
  readonly encoding: Encoding
}

/** Throws QueryError if no profile is stored. */
export async function writeCaptureFile(
  queries: QueryContext,
  { query, limits, format, isMerged, name, ifNone }: CaptureFile,
  signal: AbortSignal,
): Promise<FileResponse> {
  const missing = new MissingSymbols()
  const profiles = await collectProfiles(exportProfiles(queries, { ...query, signal }, { missing }), limits, ifNone)
  return FileResponse.of(isMerged ? mergedCapture(profiles) : concat(profiles), format, name, missing.notes())
}
