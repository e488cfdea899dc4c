// A configuration in a temporary directory, with plugin sections.
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import type { Test } from 'tap'
import type { ConfigContribution } from '../../../core/config/contract.ts'
import { createConfigService, type ConfigServiceOptions } from '../../../core/config/service.ts'
import { openVault } from '../../../core/storage/vault.ts'
import { createTestLog, temporaryDirectory } from '../storage/support.ts'

export { createTestLog, temporaryDirectory }

export const VERSION = '1.2.0'

export async function openConfig(
  t: Test,
  options: Partial<ConfigServiceOptions> & { readonly directory?: string } = {},
) {
  const directory = options.directory ?? temporaryDirectory(t)
  const file = join(directory, 'config.json')
  const log = createTestLog()
  const clock = { nowMs: Date.UTC(2026, 0, 15), now: () => clock.nowMs }
  const vault = openVault({ keyFile: join(directory, 'secret.key') })
  const config = await createConfigService({ file, vault, version: VERSION, log, clock, ...options })
  t.teardown(() => config.close())
  return {
    config,
    directory,
    file,
    lastGoodFile: `${file}.last-good`,
    keyFile: join(directory, 'secret.key'),
    log,
    clock,
    vault,
  }
}

const secret = () => Type.String({ default: '', secret: true })

const Profile = Type.Object({
  server: Type.String({ default: '' }),
  api_key: Type.String({ default: '', secret: true, boundTo: 'server' }),
  page_size: Type.Integer({ default: 100, minimum: 1, maximum: 500 }),
})

/** A media server with profiles, in the format of provider plugins. */
export const PROVIDER: ConfigContribution = {
  owner: 'provider',
  sections: [
    {
      path: 'mediaB',
      schema: Type.Object({
        ...Profile.properties,
        pass_phrase: secret(),
        history: Type.Object({
          libraries: Type.Array(Type.String(), { default: [] }),
          limit: Type.Integer({ default: 25 }),
        }),
        instances: Type.Record(Type.String(), Profile, { default: {} }),
      }),
    },
  ],
}

const Route = Type.Object({
  id: Type.String(),
  label: Type.String({ default: '' }),
  options: Type.Object({ key_phrase: secret(), step: Type.Integer({ default: 5 }) }, { default: {} }),
})

/** A section with records in lists, with and without ids. */
export const ROUTES: ConfigContribution = {
  owner: 'routes',
  sections: [
    {
      path: 'scrobble',
      schema: Type.Object({
        enabled: Type.Boolean({ default: false }),
        routes: Type.Array(Route, { default: [] }),
        hooks: Type.Array(Type.Object({ url: Type.String(), signing: secret() }), { default: [] }),
        phrases: Type.Array(secret(), { default: [] }),
      }),
    },
  ],
}
