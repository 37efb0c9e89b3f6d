// A small payload, as a recorder makes it.
import type { Profiles } from '@hearth/profile'
import { ProfilesBuilder } from '@hearth/profile'

export function someProfiles(service = 'shop', count = 1): Profiles {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: service }] })
  builder.scope({ name: '@hearth/agent', version: '0.1.0' })
  builder.profile({
    type: 'cpu',
    unit: 'nanoseconds',
    timeUnixNano: 1_700_000_000_000_000_000n,
    durationNano: 10n ** 10n,
  })
  for (let i = 0; i < count; i++) {
    const main = builder.location({
      lines: [{ function: builder.function({ name: `main${i}`, filename: 'app.js' }), line: 12 }],
    })
    builder.sample({ stack: builder.stack([main]), values: [10_000_000n] })
  }
  return builder.build()
}
