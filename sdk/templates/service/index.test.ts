import t from 'tap'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)

t.test('notes are kept in order, also when they come together', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  const add = (text: string) => host.inject({ method: 'POST', url: '/api/acme/notes', payload: { text } })

  const answers = await Promise.all([add('one'), add('two'), add('three')])

  t.strictSame(
    answers.map((answer) => answer.json()),
    [
      { ok: true, count: 1 },
      { ok: true, count: 2 },
      { ok: true, count: 3 },
    ],
  )
  t.strictSame((await host.inject('/api/acme/notes')).json(), { ok: true, notes: ['one', 'two', 'three'] })
  t.match(host.events.recent({ name: 'acme.*' }), [
    { data: { count: 1 } },
    { data: { count: 2 } },
    { data: { count: 3 } },
  ])
})

t.test('an empty note is refused', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  const answer = await host.inject({ method: 'POST', url: '/api/acme/notes', payload: { text: '' } })
  t.equal(answer.statusCode, 422)
  t.match(answer.json(), { detail: [{ loc: ['body', 'text'] }] })
})

t.test('the daily job keeps as many as the settings say', async (t) => {
  await using host = await createTestHost({ plugin, manifest, config: { keep: 2 } })
  for (const text of ['one', 'two', 'three'])
    await host.inject({ method: 'POST', url: '/api/acme/notes', payload: { text } })

  await host.runJob('trim')

  t.strictSame((await host.inject('/api/acme/notes')).json(), { ok: true, notes: ['two', 'three'] })
})

t.test('notes outlive a reload of the plugin', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  await host.inject({ method: 'POST', url: '/api/acme/notes', payload: { text: 'one' } })

  await host.reload()

  t.match((await host.inject('/api/acme/notes')).json(), { notes: ['one'] })
})
