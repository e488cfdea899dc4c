// Plex webhooks as they arrive from a server, and untrusted bodies.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { WebhookReport } from '@playhead/sdk'
import { startUpstream } from '../../upstreams/base/index.ts'
import { startReceiver } from './webhook-bodies.ts'

t.test('no body throws, and none is attributed to the profile without its id', async (t) => {
  const { parse, bodies, plex } = await startReceiver(t)
  const own = new Set(['1', '900001'])
  for (const payload of [{}, { event: 'media.play' }, { event: 'media.play', Metadata: [] }, { event: {} }, { a: 1 }])
    t.equal((await parse(payload)).type, 'ignored')
  const hostile = fc.oneof(
    fc.constantFrom<unknown>(null, '', 0, -1, 1e308, '1', '../..', '__proto__', [], {}, true, 'x'.repeat(10_000)),
    fc.constantFrom<unknown>('plex://show/x', 'imdb://tt1', 'com.plexapp.agents.thetvdb://1/2/3/4', 'tv.plex.xmltv://'),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const paths = Object.values(bodies).flatMap((body) => pathsOf(body).map((path) => ({ body: body as unknown, path })))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(bodies)),
      fc.array(fc.record({ at: fc.nat(paths.length - 1), value: hostile }), { minLength: 1, maxLength: 6 }),
      async (body, changes) => {
        const mutated = structuredClone(body) as Record<string, unknown>
        // Copied, because a shared constant could be inserted into itself by a later change.
        for (const { at, value } of changes) put(mutated, paths[at]!.path, structuredClone(value))
        const report = await parse(mutated, { needs: { libraries: true, files: true } })
        if (report.type === 'ignored') return
        const account = report.type === 'rating' ? report.account : report.session.account
        if (account.relation === 'own') {
          const { id, uuid } = (mutated['Account'] ?? {}) as { id?: unknown; uuid?: unknown }
          const isOwn = own.has(String(id).trim()) || String(uuid).toLowerCase() === 'ab34cd56ef789001'
          if (!isOwn) throw new Error(`attributed: ${JSON.stringify(mutated['Account'])}`)
          const server = (mutated['Server'] as { uuid?: unknown } | undefined)?.uuid
          if (String(id).trim() === '1' && String(server).trim() !== plex.state.machineIdentifier)
            throw new Error('the owner of another server')
        }
        JSON.stringify(report)
      },
    ),
    { numRuns: runsOf(300) },
  )
})

t.test('the webhooks of a server, in their original form', async (t) => {
  const world = await startReceiver(t)
  const reports: WebhookReport[] = []
  await using receiver = await startUpstream({
    name: 'receiver',
    async handler(request) {
      const body = await request.body()
      const headers = { 'content-type': String(request.headers['content-type']) }
      const form = await new Response(new Uint8Array(body), { headers }).formData()
      reports.push(await world.parse(JSON.parse(String(form.get('payload'))), { body }))
      return { status: 200, json: { ok: true } }
    },
  })
  world.plex.webhooks(receiver.url)
  const [episode] = world.ofType('episode').filter(({ parentKey }) => parentKey !== undefined)
  const play = await world.plex.playback.start({ userId: 'owner', item: episode!, deviceId: 'tv', deviceName: 'Hall' })
  await play.at(300_000)
  await play.pause()
  await play.resume()
  await play.finish()
  await world.plex.playback.start({ userId: 'friend', item: world.ofType('movie')[0]!, deviceId: 'phone' })
  await world.plex.actions.rate('owner', episode!.ratingKey, 9)
  t.match(
    reports.map((report) => [
      report.type === 'playback' ? report.action : report.type,
      report.type === 'playback' ? report.session.account.relation : '',
    ]),
    [
      ['start', 'own'],
      ['pause', 'own'],
      ['start', 'own'],
      ['stop', 'own'],
      ['stop', 'own'],
      ['ignored', ''],
      ['start', 'other'],
      ['rating', ''],
    ],
  )
  t.match(reports[1], {
    session: { positionMs: 300_000, deviceId: 'tv', device: 'Hall', durationMs: episode!.durationMs },
  })
  t.match(reports[3], { session: { completed: true } })
  t.match(reports.at(-1), { rating: 9, item: { type: 'episode' } })
})

function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]))].filter(
    (one) => one.length > 0,
  )
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at: unknown = into
  for (const name of path.slice(0, -1)) at = typeof at === 'object' && at !== null ? (at as never)[name] : undefined
  if (typeof at === 'object' && at !== null) (at as Record<string, unknown>)[path.at(-1)!] = value
}
