import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { containerIdIn } from './container-id.ts'
import { detectResource } from './detect-resource.ts'
import { defaultServiceName, packageNameOf } from './service-name.ts'

const ID = '0123456789abcdef'.repeat(4)

test('containerIdIn reads both versions of control groups', () => {
  expect(containerIdIn(`12:memory:/docker/${ID}\n`, '')).toBe(ID)
  expect(containerIdIn(`0::/system.slice/docker-${ID}.scope\n`, '')).toBe(ID)
  expect(containerIdIn(`1:cpu:/kubepods/pod1/cri-containerd-${ID}.scope`, '')).toBe(ID)
  const mounts = [
    '1 2 0:1 / /proc rw - proc proc rw',
    `3 4 8:1 /var/lib/docker/containers/${ID}/hostname /etc/hostname rw - ext4 /dev/sda1 rw`,
  ].join('\n')
  expect(containerIdIn('0::/\n', mounts)).toBe(ID)
  expect(containerIdIn('0::/user.slice/session-3.scope\n', '1 2 0:1 / /etc/hostname rw - ext4 x rw')).toBeUndefined()
})

test('defaultServiceName returns the name of the package', () => {
  const root = mkdtempSync(join(tmpdir(), 'hearth-name-'))
  try {
    mkdirSync(join(root, 'dist'))
    writeFileSync(join(root, 'package.json'), '{ "name": "@shop/checkout" }')
    // This one only states the module type.
    writeFileSync(join(root, 'dist', 'package.json'), '{ "type": "module" }')
    writeFileSync(join(root, 'dist', 'main.js'), '')
    symlinkSync(join(root, 'dist', 'main.js'), join(root, 'command'))
    expect(packageNameOf(join(root, 'dist', 'main.js'))).toBe('@shop/checkout')
    expect(packageNameOf(join(root, 'command'))).toBe('@shop/checkout')
    writeFileSync(join(root, 'package.json'), '{ "name": ')
    expect(packageNameOf(join(root, 'dist', 'main.js'))).toBeUndefined()
    expect(defaultServiceName(join(root, 'no', 'such.js'), '/usr/bin/node')).toBe('unknown_service:node')
    expect(defaultServiceName(undefined, '/usr/bin/node')).toBe('unknown_service:node')
  } finally {
    rmSync(root, { recursive: true })
  }
})

test('detectResource prefers configured to detected attributes', () => {
  const found = (attributes: Record<string, string | number | boolean>, serviceName?: string): Map<string, unknown> => {
    const resource = detectResource({ serviceName, resourceAttributes: new Map(Object.entries(attributes)) }, '1.2.3')
    return new Map(resource.map(({ key, value }) => [key, value]))
  }
  const plain = found({}, 'shop')
  expect(Object.fromEntries(plain)).toMatchObject({
    'service.name': 'shop',
    'process.pid': BigInt(process.pid),
    'process.runtime.name': 'nodejs',
    'process.runtime.version': process.versions.node,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': '1.2.3',
  })
  expect(plain.get('service.instance.id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(found({}).get('service.instance.id')).toBe(plain.get('service.instance.id'))
  const given = found({ 'host.name': 'box', 'service.instance.id': 'one', replicas: 3, share: 0.5, canary: true })
  expect(Object.fromEntries(given)).toMatchObject({
    'host.name': 'box',
    'service.instance.id': 'one',
    replicas: 3n,
    share: 0.5,
    canary: true,
  })
})
