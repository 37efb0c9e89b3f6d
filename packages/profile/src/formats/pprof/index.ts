// pprof: the format of Go's profiler and of many other tools.
import type { Format } from '../format.ts'
import { detectPprof } from './detect.ts'
import { readPprof } from './read.ts'
import { writePprof } from './write.ts'

export const pprof: Format = {
  name: 'pprof',
  title: 'pprof (protobuf), written by Go, gperftools and many others',
  extensions: ['.pprof', '.prof', '.pb'],
  reads: { losses: ['broken UTF-8 is replaced'] },
  writes: {
    losses: [
      'timestamps: values of the same sample are summed',
      'resource, scope and profile attributes; frame types',
      'attribute types other than text and integers become text',
      'profile ids, original payload',
      'profiles of other types than the first ones',
    ],
  },
  detect: head => detectPprof(head),
  read: readPprof,
  write: writePprof,
}
