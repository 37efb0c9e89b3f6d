// A profile as the eBPF profiler sends it: native frames have addresses and no names.
import { ProfilesBuilder, readSymbols, writeOtlp } from '@hearth/profile'
import { bytesOf } from '../../../profile/src/symbols/native/testing/fuzz-symbols.ts'
import { programs } from '../../../profile/src/symbols/native/testing/generated/programs.ts'

/** The debug file of the profile. At its address, `rounded` is inlined into `discounted`, and that into `shop::Cart::total()`. */
export const debugFile = bytesOf(programs.dwarf5)

/** Returns an OTLP payload of the process `shop`, without a `service.name`. */
export function nativeProfile(timeUnixNano: bigint): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'process.executable.name', value: 'shop' }] })
  builder.profile({ type: 'samples', unit: 'count', timeUnixNano, durationNano: 1n })
  const buildId = builder.attribute('process.executable.build_id.gnu', readSymbols(debugFile).buildId ?? '')
  const range = { memoryStart: 0x401000n, memoryLimit: 0x402000n, fileOffset: 0x1000n }
  const mapping = builder.mapping({ ...range, filename: 'shop', attributes: [buildId] })
  const type = builder.attribute('profile.frame.type', 'native')
  const location = builder.location({ mapping, address: 0x401000n, attributes: [type] })
  builder.sample({ stack: builder.stack([location]), values: [1n] })
  return writeOtlp(builder.build()).bytes
}
