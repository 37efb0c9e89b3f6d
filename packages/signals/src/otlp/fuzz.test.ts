import { test } from 'vitest'
import { logs, metrics, plainProfiles, rpcStatus, traces } from './codecs.ts'
import { EXPORT_SERVICES } from './export-services.ts'
import { RPC_STATUS } from './rpc-status.ts'
import { arbitraryMessage } from '../testing/arbitrary-message.ts'
import { survives } from '../testing/survives.ts'

test('traces', () => survives(traces, arbitraryMessage(EXPORT_SERVICES.traces.request)))
test('logs', () => survives(logs, arbitraryMessage(EXPORT_SERVICES.logs.request)))
test('metrics', () => survives(metrics, arbitraryMessage(EXPORT_SERVICES.metrics.request)))
test('profiles', () => survives(plainProfiles, arbitraryMessage(EXPORT_SERVICES.profiles.request)))
test('status', () => survives(rpcStatus, arbitraryMessage(RPC_STATUS)))
