// speedscope: the JSON file format of the speedscope viewer, which py-spy, rbspy, dotnet-trace and others write too.
import type { Format } from '../format.ts'
import { detectSpeedscope } from './detect.ts'
import { readSpeedscope } from './read.ts'
import { writeSpeedscope } from './write.ts'

export const speedscope: Format = {
  name: 'speedscope',
  title: 'speedscope (JSON)',
  extensions: ['.speedscope.json', '.speedscope'],
  reads: {
    losses: [
      'the order of samples where the unit is not a time',
      'where one call ends and an equal one follows at once; calls without a duration',
    ],
  },
  writes: {
    losses: [
      'attributes (but for threads), links, resources, periods, ids and original payloads',
      'addresses, mappings, frame types, start lines and system names of functions',
      'timestamps where samples overlap or are not measured in time',
    ],
  },
  detect: head => detectSpeedscope(head),
  read: readSpeedscope,
  write: writeSpeedscope,
}
