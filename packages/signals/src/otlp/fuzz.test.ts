import { test } from 'vitest'
import { logs, metrics, plainProfiles, rpcStatus, traces } from './codecs.ts'
import { EXPORT_SERVICES } from './export-services.ts'
import { RPC_STATUS } from './rpc-status.ts'
import { arbitraryMessage } from '../testing/arbitrary-message.ts'
import { survives } from '../testing/survives.ts'

test('traces survives random changes', () => survives(traces, arbitraryMessage(EXPORT_SERVICES.traces.request)))
test('logs survives random changes', () => survives(logs, arbitraryMessage(EXPORT_SERVICES.logs.request)))
test('metrics survives random changes', () => survives(metrics, arbitraryMessage(EXPORT_SERVICES.metrics.request)))
test('plainProfiles survives random changes', () =>
  survives(plainProfiles, arbitraryMessage(EXPORT_SERVICES.profiles.request)))
test('rpcStatus survives random changes', () => survives(rpcStatus, arbitraryMessage(RPC_STATUS)))
