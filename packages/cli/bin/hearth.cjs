#!/usr/bin/env node
// The `hearth` command. Checked in, not built: npm links it at install time, before the first build has run.
// CommonJS, because this has to come before the first module is loaded: loading one starts the pool of threads, and with
// the four that Node starts by itself the embedded store would leave none to files.
process.env.UV_THREADPOOL_SIZE ??= '16'
const { existsSync } = require('node:fs')
const { join } = require('node:path')
// The published package has one bundle with all packages. A checkout has the build of each package.
import(existsSync(join(__dirname, '../src')) ? '../dist/hearth.js' : '../bundle/hearth.js')
