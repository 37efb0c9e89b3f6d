import { test } from 'vitest'
import { logs, metrics, plainProfiles, rpcStatus, traces } from './codec.ts'
import {
  EXPORT_LOGS_REQUEST,
  EXPORT_METRICS_REQUEST,
  EXPORT_PROFILES_REQUEST,
  EXPORT_TRACE_REQUEST,
} from './export-services.ts'
import { RPC_STATUS } from './rpc-status.ts'
import { arbitraryMessage } from '../testing/arbitrary-message.ts'
import { survives } from '../testing/survives.ts'

test('traces', () => survives(traces, arbitraryMessage(EXPORT_TRACE_REQUEST)))
test('logs', () => survives(logs, arbitraryMessage(EXPORT_LOGS_REQUEST)))
test('metrics', () => survives(metrics, arbitraryMessage(EXPORT_METRICS_REQUEST)))
test('profiles', () => survives(plainProfiles, arbitraryMessage(EXPORT_PROFILES_REQUEST)))
test('status', () => survives(rpcStatus, arbitraryMessage(RPC_STATUS)))
