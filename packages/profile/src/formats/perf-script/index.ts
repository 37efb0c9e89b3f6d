import type { Format } from '../format.ts'
import { readPerfScript } from './read.ts'
export const perfScript: Format = { name: 'perf-script', title: '', extensions: [], detect: () => 'no', read: readPerfScript }
