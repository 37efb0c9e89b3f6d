// Profiles that another thread of this process decoded or made, as the content of a request. Their columns are copied to the thread
// that stores them, which takes less time than encoding them.
import type { Profiles } from '@hearth/profile'
import { profilesFromClone } from '@hearth/profile'
import type { Content, ContentReader } from './content.ts'
import { FILE_FACTOR } from './content.ts'
import { columnsId } from './request-id.ts'

interface ColumnsOptions {
  readonly profiles: Profiles
  /** The format of profiles that were a file. They are rejected as a whole if a part is invalid. */
  readonly format?: string
}

const READER = 'columns'
/** For the statistics of senders. */
const GENERATION = 'v1.11'

export function columnsContent(options: ColumnsOptions): Content {
  return { reader: READER, options }
}

export const columnsReader: Readonly<Record<typeof READER, ContentReader<ColumnsOptions>>> = {
  [READER]: {
    id: (_body, { profiles }) => columnsId(profilesFromClone(profiles)).id,
    measure: (_body, { profiles }) => FILE_FACTOR * columnsId(profilesFromClone(profiles)).bytes,
    read: (_body, { profiles, format }) => ({
      payload: { signal: 'profiles', profiles: profilesFromClone(profiles) },
      generation: format ?? GENERATION,
      isAtomic: format !== undefined,
    }),
  },
}
