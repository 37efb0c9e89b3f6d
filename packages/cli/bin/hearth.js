#!/usr/bin/env node
// The `hearth` command. Checked in, not built: npm links it at install time, before the first build has run.
import '../dist/hearth.js'
