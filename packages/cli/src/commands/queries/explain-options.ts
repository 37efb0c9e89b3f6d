// The options of `hearth explain`.
import type { ReadingOptions } from '../../options.ts'
import type { RemoteOptions } from '../../remote/remote.ts'

export interface ExplainOptions extends RemoteOptions, ReadingOptions {
  readonly server: string
  readonly span?: string
  readonly operation?: string
  readonly service?: string
  readonly by?: string
  readonly since: string
  readonly until: string
  readonly count: number
  readonly json?: boolean
}
