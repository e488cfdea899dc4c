// What an author meets while writing a plugin beside a service that runs.
import t from 'tap'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FixturePlugin, startService, until } from '../../harness.ts'

const route = (id: string) => ({ method: 'GET', path: `/api/${id}`, auth: 'P' }) as const
const answering = (id: string, answer: string, before = '') => `import { definePlugin } from '@playhead/sdk'
${before}
export default definePlugin({ routes(app) { app.get('/api/${id}', () => ({ answer: '${answer}' })) } })
`
const plugin = (id: string, code: string): FixturePlugin => ({ manifest: { routes: [route(id)] }, files: { 'index.ts': code } })

t.test('a save during the first load of a new plugin is not lost, whenever it comes', async () => {
  await using service = await startService({ plugins: { first: plugin('first', answering('first', 'one')) } })
  const entries = [{ id: 'first', source: './plugins/first' }]
  for (const [index, waitMs] of [0, 5, 20, 60, 150].entries()) {
    const id = `new${index}`
    entries.push({ id, source: `./plugins/${id}` })
    await service.writePlugin(id, plugin(id, answering(id, 'one')))
    await service.writeRegistry(entries)
    await sleep(waitMs)
    await service.write(id, 'index.ts', answering(id, 'two'))
    await until(`the newest version of ${id} is live`, async () => (await service.json(`/api/${id}`)).body?.answer === 'two')
  }
})

t.test('an error of an edit is told while the version before goes on, and goes with what it was about', async (t) => {
  const good = answering('edited', 'good')
  await using service = await startService({ plugins: { edited: plugin('edited', good) } })
  await service.write('edited', 'index.ts', `${good}\nconst broken =`)
  const failed = await until('the mistake is told', async () => {
    const told = await service.plugin('edited')
    return told.last_error !== null && told
  })
  t.match(failed, { state: 'active', last_error: { file: 'index.ts', line: Number } })
  t.same((await service.json('/api/edited')).body, { answer: 'good' })

  await service.write('edited', 'index.ts', good)
  await until('taken back, it is told no more', async () => (await service.plugin('edited')).last_error === null)
})

t.test('who claims what another plugin has is the one that is told, wherever it stands in the registry', async (t) => {
  const nothing = `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({})\n`
  // The registry names the newcomer first.
  await using service = await startService({ plugins: { newer: { files: { 'index.ts': nothing } }, older: plugin('older', answering('older', 'mine')) } })
  await service.writePlugin('newer', { manifest: { routes: [route('older')] }, files: { 'index.ts': answering('older', 'stolen') } })
  const told = await until('the conflict is told', async () => {
    const { last_error: error } = await service.plugin('newer')
    return error?.code === 'PLH_PLUGIN_ROUTE_CONFLICT' && error
  })
  t.match(told.message, 'Plugin "newer" claims GET /api/older, which plugin "older" has already.')
  t.match(await service.plugin('older'), { state: 'active', last_error: null })
  t.same((await service.json('/api/older')).body, { answer: 'mine' })
})

t.test('a mistake at run time has a code of its own, and what is printed stands in the log, under the name of the plugin and without secrets', async (t) => {
  const code = `import { definePlugin } from '@playhead/sdk'
console.log('loaded with token=abcdefgh12345678')
export default definePlugin({ routes(app) { app.get('/api/faulty', () => { console.error('here it comes'); throw new TypeError('a mistake') }) } })
`
  await using service = await startService({ plugins: { faulty: plugin('faulty', code) } })
  t.equal((await service.json('/api/faulty')).status, 500)
  t.match(await service.plugin('faulty'), { state: 'active', last_error: { code: 'PLH_PLUGIN_FAULT', message: 'a mistake', file: 'index.ts', line: 3 } })
  const lines = service.streams.read('log/FAULTY').map(({ data }) => data)
  t.ok(lines.some((line) => line.startsWith('loaded with token=') && !line.includes('abcdefgh12345678')), lines.join('\n'))
  t.ok(lines.some((line) => line.startsWith('ERROR here it comes')))
})

t.test('a change that could not be used is among what a person should look at', async (t) => {
  const directory = t.testdir({ data: { 'plugin-registry.json': JSON.stringify({ version: 1, plugins: [{ id: 'edited', source: '../plugins/edited' }] }) }, plugins: { edited: {
    'plugin.json': JSON.stringify({ id: 'edited', name: 'Edited', version: '1.0.0', api: '^1.0.0', kind: 'service', routes: [route('edited')] }),
    'index.ts': answering('edited', 'good'),
  } } })
  await using service = await startService({ shipped: true, directory })
  const look = async () => (await service.json('/api/attention')).body.items.filter(({ plugin: id }: { plugin: string }) => id === 'edited')
  t.same(await look(), [])
  await service.write('edited', 'index.ts', 'export default {')
  const [told] = await until('it is told', async () => {
    const items = await look()
    return items.length > 0 && items
  })
  t.match(told, { kind: 'plugin_edit', severity: 'warning', title: 'A change of Edited could not be used', detail: /The version before it goes on\. PLH_PLUGIN_BUILD in index\.ts:1/ })
  await service.write('edited', 'index.ts', answering('edited', 'better'))
  await until('and not any more', async () => (await look()).length === 0)
})
