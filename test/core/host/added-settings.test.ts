// Fields that plugins add to a section of the core.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { type FixturePlugin, PASSWORD, startService, until, USERNAME } from '../../harness.ts'

const adding = (settings: string): FixturePlugin => ({
  files: {
    'index.ts': `
import { definePlugin, Type } from '@playhead/sdk'
export default definePlugin({ addsToSettings: ${settings} })
`,
  },
})
const SHOWN = adding(`{ ui: Type.Object({ show_it: Type.Boolean({ default: true }) }) }`)

t.test('added fields exist while the plugin does, even while it is dormant', async (t) => {
  const directory = t.testdir()
  const plugins = { shown: SHOWN }
  const note = join(directory, 'data', 'run', 'plugins', 'shown.json')
  {
    await using service = await startService({ plugins, directory, watch: false, host: { snapshotMs: 0 } })
    t.match((await service.json('/api/config')).body, { ui: { theme: 'flat-dark', show_it: true } })
    t.match(await service.json('/api/config', { json: { ui: { show_it: 'perhaps' } } }), { status: 422 })
    await until('the note', async () => readFile(note).then(Boolean, () => false))
  }
  await using service = await startService({ plugins, directory, watch: false, withoutAccount: true })
  const answer = await service.call('/api/app-auth/login', { json: { username: USERNAME, password: PASSWORD } })
  service.setCookie((answer.headers.get('set-cookie') ?? '').split(';')[0] as string)
  t.equal(service.host.list().find(({ id }) => id === 'shown')?.state, 'dormant')
  t.match((await service.json('/api/config')).body, { ui: { show_it: true } })
  t.match(await service.json('/api/config', { json: { ui: { show_it: false } } }), { status: 200 })

  await service.json('/api/plugins/shown/disable', { json: {} })
  t.match((await service.json('/api/config')).body, { ui: { show_it: false } }, 'what is stored stays')
})

t.test('a field has one owner and a default, and access sections cannot be extended', async (t) => {
  await using service = await startService({
    watch: false,
    plugins: {
      shown: SHOWN,
      rival: SHOWN,
      themed: adding(`{ ui: Type.Object({ theme: Type.String({ default: 'mine' }) }) }`),
      bare: adding(`{ ui: Type.Object({ size: Type.Integer() }) }`),
      closed: adding(`{ security: Type.Object({ door: Type.String({ default: 'open' }) }) }`),
    },
  })
  const errorOf = async (id: string) => (await service.plugin(id)).last_error
  const errors = [await errorOf('shown'), await errorOf('rival')].filter((error) => error !== null)
  t.match(errors, [{ code: 'PLH_CONFLICT', message: /ui\.show_it/ }], 'the second one is refused')
  t.match(await errorOf('themed'), { code: 'PLH_CONFLICT', message: /ui\.theme/ })
  t.match(await errorOf('bare'), { code: 'PLH_CONFIG_INVALID', message: /ui\.size/ })
  t.match(await errorOf('closed'), { code: 'PLH_PLUGIN_UNDECLARED', message: /"security"/ })
})
