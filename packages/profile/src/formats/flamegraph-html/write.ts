// Writes profiles as a page: one HTML file that needs nothing else.
import type { Profiles } from '../../model/columns/profiles.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { countSummedUp } from '../one-measure.ts'
import { pageHtml } from './page.ts'
import type { PageData, PageOptions } from './page-data.ts'
import { pageData } from './page-data.ts'

export interface FlamegraphHtmlOptions extends WriteOptions, PageOptions {
  /** The title of the page. The default is the name of the service. */
  readonly title?: string
}

/** Throws RangeError if maxNodes is not a positive integer. */
export function writeFlamegraphHtml(profiles: Profiles, options: FlamegraphHtmlOptions = {}): WriteResult {
  const data = pageData(profiles, options)
  const notes = new NoteList()
  countSummedUp(profiles, notes)
  for (const { merged, hiddenNodes, hiddenRows } of data.profiles) {
    notes.add('profiles-added-up', 'profiles of the same type and unit are shown as their sum', merged > 1 ? merged : 0)
    notes.add('nodes-left-out', 'calls too small for the page become one box per caller', hiddenNodes)
    notes.add('functions-left-out', 'functions too small for the page are not listed', hiddenRows)
  }
  return { bytes: encodeUtf8(pageHtml(data, options.title ?? titleOf(data))), notes: notes.list() }
}

function titleOf({ resources }: PageData): string {
  const names = [...new Set(resources.map(resource => resource.name).filter(name => name !== ''))]
  if (names.length === 0) return 'Profile'
  return names.length <= 3 ? names.join(', ') : `${names[0]} and ${names.length - 1} more`
}
