// LLVM's sample profile as text, for profile-guided optimisation with clang and rustc. Write only.
import type { Format } from '../format.ts'
import { writeLlvmSample } from './write.ts'

export const llvmSample: Format = {
  name: 'llvm-sample',
  title: 'LLVM sample profile (AutoFDO text), for clang -fprofile-sample-use',
  extensions: ['.afdo', '.prof.txt'],
  writes: {
    losses: [
      'callers: a sample counts in the function that ran, and in those that it was inlined into',
      'functions without a first line, and functions without lines',
      'timestamps, links and attributes',
      'profiles of other types than the first',
    ],
  },
  detect: () => 'no',
  write: writeLlvmSample,
}
