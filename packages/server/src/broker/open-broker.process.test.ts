import { expect, test } from 'vitest'
import type { Receiver } from '../receive/receiver.ts'
import { configFor } from '../receive/testing/running-server.ts'
import { openLog } from '../observe/log.ts'
import { openBroker } from './open-broker.ts'

const log = openLog({ level: 'error', format: 'json', write: () => {} })

test.each([
  [{ 'broker-nats-credentials': '/missing/a.creds' }, /^broker-nats-credentials: ENOENT.*a\.creds/],
  [{ 'broker-nats-ca': '/missing/ca.pem' }, /^broker-nats-ca: ENOENT/],
  [
    { 'broker-nats': 'nats://a,nats://user:secret@:b:c' },
    /^broker-nats: not a NATS URL; expected nats:\/\/host:4222, several separated by commas$/,
  ],
])('openBroker checks the NATS settings at startup: %j', async (flags, message) => {
  const config = configFor('/data', { 'broker-nats': 'nats://127.0.0.1:1', ...flags })
  const opened = openBroker(config, {} as Receiver, log, 'test')
  await expect(opened).rejects.toMatchObject({ name: 'ConfigError', message: expect.stringMatching(message) as string })
})
