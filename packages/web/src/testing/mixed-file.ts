// A file that the UI can open but not add up.
import { ProfilesBuilder, writeOtlp } from '@hearth/profile'
import type { LocalFile } from './hearth-page.node.ts'

/** Cumulative and delta profiles of one series, which cannot be added up. */
export function mixedFile(): LocalFile {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: 'mixed' }] })
  builder.scope({ name: 'test' })
  const location = builder.location({ lines: [{ function: builder.function({ name: 'work' }), line: 1 }] })
  for (const [i, temporality] of ['cumulative', 'delta'].entries()) {
    const attributes = [builder.attribute('hearth.profile.aggregation_temporality', temporality)]
    builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: BigInt(i + 1), durationNano: 1n, attributes })
    builder.sample({ stack: builder.stack([location]), values: [1] })
  }
  return { name: 'mixed.otlp', bytes: writeOtlp(builder.build()).bytes }
}
