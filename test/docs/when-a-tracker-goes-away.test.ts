// slow: the steps of a guide, in the whole service
// Runs the commands of docs/guide/when-a-tracker-goes-away.md unchanged against the real service.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { signInToTrakt, untilTrue } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { LETTERBOXD } from '../plugins/imports/files.ts'
import { bytesOf } from '../plugins/imports/world.ts'
import { startTrakt } from '../upstreams/trakt.ts'

t.setTimeout(900_000)
const run = promisify(execFile)
const GUIDE = join(import.meta.dirname, '../../docs/guide/when-a-tracker-goes-away.md')

t.test(
  'the data of a service is saved by a pair, a capture and a file, and an archive becomes rows of the tracker',
  async (t) => {
    const guide = await readFile(GUIDE, 'utf8')
    const commands = [...guide.matchAll(/```bash\n([\s\S]*?)```/g)].flatMap(([, code = '']) => code.trim().split('\n'))
    t.equal(commands.length, 12)
    const home = await mkdtemp(join(tmpdir(), 'playhead-guide-'))
    t.teardown(() => rm(home, { recursive: true, force: true }))
    await writeFile(join(home, 'letterboxd.zip'), bytesOf(LETTERBOXD))
    await using trakt = await startTrakt({ movies: 6, shows: 0, plan: 'vip', rateLimits: false })
    for (const index of [0, 1, 2]) trakt.user.rate(trakt.movie(index), 7, Date.UTC(2025, 0, 1))
    await using service = await startService({ shipped: true, watch: false })
    await signInToTrakt(service, trakt)
    const { body } = await service.json('/api/tokens', { json: { name: 'guide', scope: 'write' } })
    const env: Record<string, string> = {
      PATH: process.env['PATH'] ?? '',
      PLAYHEAD_URL: service.url,
      PLAYHEAD_TOKEN: body.secret,
      no_proxy: '*',
    }
    const next = async () => {
      const command = commands.shift() ?? ''
      const { stdout } = await run('bash', ['-c', command], { cwd: home, env })
      return command.includes(' -o ') ? null : JSON.parse(stdout)
    }

    t.match(await next(), { ok: true })
    t.match(await next(), { ok: true })
    await untilTrue('the run', async () => (await service.json('/api/run/summary')).body.running === false)
    const kept = '/api/export/sample?provider=SVC&feature=ratings'
    t.equal((await service.json(kept)).body.total, 3, 'the tracker has what the service has')
    t.match(await next(), { ok: true })
    t.match((await service.json('/api/snapshots/list')).body, { snapshots: [{ provider: 'TRACKA' }] })
    await next()
    const { rows } = JSON.parse(await readFile(join(home, 'everything.json'), 'utf8'))
    t.equal(rows.filter(({ feature }: { feature: string }) => feature === 'ratings').length, 3)
    t.match(await next(), { total: Number, warnings: Array })

    const held = async () =>
      (await service.json('/api/export/sample?provider=SVC&feature=history&limit=250')).body.total
    const before = await held()
    const preview = await next()
    t.match(preview, { format: 'letterboxd', rows: 7, titles: { open: 4 } })
    env['IMPORT_ID'] = preview.import_id
    const { titles } = await next()
    t.match(titles, [{ about: { title: 'Heat', year: 1995 } }])
    env['TITLE'] = String(titles[0].title)
    t.match(await next(), { titles: { open: 3 } })
    t.match(await next(), { state: 'planned', plan: { history: { add: 2 } } })
    t.match((await next()).rows, [{ feature: 'history' }, { feature: 'history' }, { feature: 'ratings' }])
    t.equal(await held(), before, 'a look writes nothing')
    t.match(await next(), { state: 'done', outcomes: { applied: 3 } })
    t.equal(await held(), before + 2)
    t.match(await next(), { state: 'undone' })
    t.equal(await held(), before)
  },
)
