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
      'the order of samples if the unit is not a time',
      'the boundary between equal consecutive calls; calls without a duration',
    ],
  },
  writes: {
    losses: [
      'attributes other than threads, links, resources, periods, ids and original payloads',
      'addresses, mappings, frame types, start lines and system names of functions',
      'timestamps if samples overlap or are not measured in time',
    ],
  },
  detect: head => detectSpeedscope(head),
  read: readSpeedscope,
  write: writeSpeedscope,
}
