// The entry file of the thread that runs the shop of the demo.
import { demoHandlers } from './demo/demo-handlers.ts'
import { hostWorker } from './workers/worker-host.ts'

hostWorker(demoHandlers)
