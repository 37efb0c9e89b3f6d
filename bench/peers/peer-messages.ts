// Messages of Pyroscope's and Parca's protocols, with the fields that the benchmark sends or checks.
import { bytes, codecOf, defineMessage, double, int64, message, messages, repeated, text } from '@hearth/signals'

const LABEL = defineMessage('LabelPair', { name: text(1), value: text(2) })
const RAW_SAMPLE = defineMessage('RawSample', { rawProfile: bytes(1) })

/** push.v1.PushRequest. */
export const PUSH = codecOf(
  defineMessage('PushRequest', {
    series: messages(
      1,
      defineMessage('RawProfileSeries', { labels: messages(1, LABEL), samples: messages(2, RAW_SAMPLE) }),
    ),
  }),
  'push',
)

/** parca.profilestore.v1alpha1.WriteRawRequest. */
export const WRITE_RAW = codecOf(
  defineMessage('WriteRawRequest', {
    series: messages(
      2,
      defineMessage('RawProfileSeries', {
        labels: message(1, defineMessage('LabelSet', { labels: messages(1, LABEL) })),
        samples: messages(2, RAW_SAMPLE),
      }),
    ),
  }),
  'write raw',
)

const SELECTION = { profileTypeId: text(1), labelSelector: text(2), start: int64(3), end: int64(4) }

/** querier.v1.SelectMergeStacktracesRequest and SelectMergeProfileRequest, which share their first fields. */
export const SELECT = codecOf(defineMessage('SelectRequest', SELECTION), 'select')

export const SELECT_SERIES = codecOf(
  defineMessage('SelectSeriesRequest', { ...SELECTION, groupBy: repeated(text(5)), step: double(6) }),
  'select series',
)

export const LABEL_VALUES = codecOf(
  defineMessage('LabelValuesRequest', { name: text(1), start: int64(3), end: int64(4) }),
  'label values',
)

export const PROFILE_TYPES = codecOf(
  defineMessage('ProfileTypesRequest', { start: int64(1), end: int64(2) }),
  'profile types',
)

const NOTHING = defineMessage('Nothing', {})

export const STACKTRACES_RESPONSE = codecOf(
  defineMessage('SelectMergeStacktracesResponse', {
    flamegraph: message(1, defineMessage('FlameGraph', { total: int64(3) })),
  }),
  'flame graph',
)

export const SERIES_RESPONSE = codecOf(
  defineMessage('SelectSeriesResponse', {
    series: messages(1, defineMessage('Series', { points: messages(2, NOTHING) })),
  }),
  'series',
)

export const LABEL_VALUES_RESPONSE = codecOf(
  defineMessage('LabelValuesResponse', { names: repeated(text(1)) }),
  'label values',
)

export const PROFILE_TYPES_RESPONSE = codecOf(
  defineMessage('ProfileTypesResponse', { types: messages(1, NOTHING) }),
  'profile types',
)
