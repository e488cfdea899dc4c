// Finds the host that a plugin's tests run in.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { TestHost, TestHostOptions } from './contract.ts'

type CreateTestHost = (options: TestHostOptions) => Promise<TestHost>

let found: Promise<CreateTestHost> | undefined

/**
 * Runs the plugin in the real host, which is part of the package `playhead`: the checkout that this SDK is in, or a
 * package beside it.
 * @throws if there is no such package
 * @example
 * await using host = await createTestHost({ plugin, manifest: new URL('./plugin.json', import.meta.url) })
 * const answer = await host.inject('/api/hello')
 */
export async function createTestHost(options: TestHostOptions): Promise<TestHost> {
  const create = await (found ??= findHost())
  return create(options)
}

async function findHost(): Promise<CreateTestHost> {
  const besideTheSdk = createRequire(new URL('../../package.json', import.meta.url))
  const host = (await import(pathToFileURL(besideTheSdk.resolve('playhead/testing')).href)) as {
    readonly createTestHost: CreateTestHost
  }
  return host.createTestHost
}
