// Additional ids of an exemplar's profile: the sender's profile id, and the span of its largest sample that has one.
import type { ProfileReference } from '../select/profile-reference.ts'
import { REFERENCE_COLUMNS, printReference, referenceAt } from '../select/profile-reference.ts'
import type { Selection } from '../select/selection.ts'
import { MAX_IDS, Values } from '../statement.ts'

export interface ExemplarLink {
  /** Hex; each is empty if there is none. */
  readonly profileId: string
  readonly traceId: string
  readonly spanId: string
}

export const NO_LINK: ExemplarLink = { profileId: '', traceId: '', spanId: '' }

/** By the texts of the profile references (printReference). */
export async function exemplarLinks(
  selection: Selection,
  profiles: readonly ProfileReference[],
): Promise<ReadonlyMap<string, ExemplarLink>> {
  const found = new Map<string, ExemplarLink>()
  for (let from = 0; from < profiles.length; from += MAX_IDS) {
    await addLinks(selection, profiles.slice(from, from + MAX_IDS), found)
  }
  return found
}

async function addLinks(
  selection: Selection,
  profiles: readonly ProfileReference[],
  found: Map<string, ExemplarLink>,
): Promise<void> {
  const { running } = selection
  const values = new Values()
  const where = [
    `tenant = ${values.text(running.tenant)}`,
    `series IN ${values.ids(new Set(profiles.map(each => each.series)))}`,
    `request IN ${values.add(
      'Array(FixedString(16))',
      profiles.map(each => each.request),
    )}`,
  ].join(' AND ')
  const block = await running.select(
    `SELECT ${REFERENCE_COLUMNS.join(', ')}, lower(hex(profile_id)) AS id_text, ${largestLink(selection, values)} AS link, ` +
      'lower(hex(link_trace_ids[link])) AS trace, lower(hex(link_span_ids[link])) AS span ' +
      `FROM profiles WHERE ${where}`,
    values.all,
  )
  for (let row = 0; row < block.rows; row++) {
    const text = (column: string): string => block.column(column).text(row)
    found.set(printReference(referenceAt(block, row)), {
      profileId: text('id_text'),
      traceId: text('trace'),
      spanId: text('span'),
    })
  }
}

/** The number of the link; 0 if no selected sample has one. Lists of links are empty if there are none. */
function largestLink(selection: Selection, values: Values): string {
  const bySpan = selection.bySpan
    ? ` AND ${selection.linksWhere(values, 'link_trace_ids[sample_link]', 'link_span_ids[sample_link]')}`
    : ''
  return (
    'arrayReverseSort(arrayMap((sample_total, sample_link, stack, sample_set) -> ' +
    `if(sample_link != 0 AND ${selection.samplesWhere(values)}${bySpan}, (1, sample_total, sample_link), (0, toInt64(0), toUInt32(0))), ` +
    'totals, arrayResize(sample_links, length(totals)), sample_stacks, sample_attributes))[1].3'
  )
}
