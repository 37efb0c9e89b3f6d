// The entry file of the thread that indexes one debug file, or looks through folders for build ids.
import { parentPort, workerData } from 'node:worker_threads'
import type { SymbolsTask } from './symbols/indexer.ts'
import { runSymbolsTask } from './symbols/run-task.ts'

parentPort?.postMessage(runSymbolsTask(workerData as SymbolsTask))
