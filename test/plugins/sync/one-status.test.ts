// slow: the whole service in twenty worlds
// One status: pages, API, widget, metrics, notifications and the command line show one word and one number for one thing.
import t from 'tap'
import { runCli } from '../../../core/cli/run.ts'
import { resultLine } from '../../../core/cli/remote/run.ts'
import { hear } from '../../../plugins/services/notifications/events/from-bus.ts'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk } from '../../demo/sign-in.ts'
import { until } from '../../harness.ts'
import { parseExposition } from '../metrics/parse.ts'
import { openHouse, WORLDS } from './status-worlds.ts'

t.setTimeout(900_000)

const WORDS = /^(?:In sync|1 needs you|(?:[2-9]|[1-9]\d+) need you|Working|Paused|Cannot reach .+|Failed)$/
/** Entries of `GET /api/attention` that name the status of a pair. */
const OF_PAIR = new Set(['run_failed', 'not_synced', 'synced_in_part', 'unresolved'])
const COUNTED = new Set(['items', 'approval'])

const house = await openHouse()
atEndOfFile(() => house[Symbol.asyncDispose]())
const { service, pairs } = house
const get = async (path: string) => {
  const { status, body } = await service.json(path)
  t.equal(status, 200, path)
  return body
}
const { secret } = (await service.json('/api/tokens', { json: { name: 'one status', scope: 'read' } })).body

async function cli(...args: readonly string[]) {
  const printed = { output: '', errors: '' }
  await runCli(args, {
    variables: { PLAYHEAD_URL: service.url, PLAYHEAD_TOKEN: secret, npm_lifecycle_event: 'playhead' },
    print: (line) => void (printed.output += `${line}\n`),
    printError: (line) => void (printed.errors += `${line}\n`),
  })
  t.equal(printed.errors, '')
  return printed.output
}

async function metrics() {
  const answer = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${secret}` } })
  const { values } = parseExposition(await answer.text())
  return (series: string) => values.get(series)
}

/** All doors, compared with `GET /api/overview`. Returns the overview. */
async function compare(t: Pick<typeof import('tap').default, 'match' | 'notMatch' | 'equal' | 'strictSame' | 'ok'>) {
  const overview = await get('/api/overview')
  const { status } = overview
  for (const one of [status, ...overview.pairs, ...overview.accounts, ...overview.runs].map(
    (each) => each.status ?? each,
  )) {
    t.match(one.text, WORDS)
    t.equal(
      one.count,
      one.causes.reduce((sum: number, { count }: any) => sum + count, 0),
      'the causes add up',
    )
    if (one.state === 'need_you') t.match(one.text, new RegExp(`^${one.count} `))
    else t.notMatch(one.text, /need/)
  }
  const at = await metrics()
  t.equal(at('playhead_need_you'), status.count, 'metrics')
  t.strictSame((await get('/api/widget')).status, { state: status.state, count: status.count, text: status.text })
  const printed = await cli('status')
  t.equal(printed.split('\n')[0], `${status.text}.`, 'the command line')

  const problems = await get('/api/problems')
  t.equal(problems.need_you, status.count, 'the problems')
  for (const { id, status: shown } of overview.pairs) {
    const own = await get(`/api/problems?pair=${id}&limit=0`)
    t.equal(own.need_you, shown.count, 'the problems of a pair')
  }
  t.equal(
    problems.items.reduce((sum: number, one: any) => sum + one.need_you, 0),
    status.count,
    'the rows of the problems add up',
  )

  const table = await cli('pairs')
  const attention = (await get('/api/attention')).items
  const ofPairs = await get('/api/pairs/status')
  t.strictSame(ofPairs.sync_status, status, 'the whole')
  for (const pair of ofPairs.pairs) {
    const shown = overview.pairs.find(({ id }: any) => id === pair.id).status
    t.strictSame(pair.sync_status, shown, 'the status of a pair')
    t.match(table, new RegExp(`${pair.name} .*${shown.text}`))
    for (const state of ['in_sync', 'need_you', 'working', 'paused', 'cannot_reach', 'failed'])
      t.equal(at(`playhead_pair_status{pair="${pair.id}",state="${state}"}`), Number(state === shown.state))
    const open = pair.features.reduce((sum: number, feature: any) => sum + feature.open, 0)
    const counted = shown.causes.filter(({ kind }: any) => COUNTED.has(kind))
    if (pair.enabled) {
      t.equal(
        counted.reduce((sum: number, { count }: any) => sum + count, 0),
        open,
        'the open items of a pair',
      )
      for (const { feature, open } of pair.features)
        t.equal(at(`playhead_pair_open_items{pair="${pair.id}",feature="${feature}"}`) ?? 0, open)
    }
    const own = attention.filter(({ kind, pair_id: id }: any) => OF_PAIR.has(kind) && id === pair.id)
    for (const { title, kind } of own) {
      const [word] = title.split(`: ${pair.name}`)
      t.match(word, WORDS)
      if (kind === 'unresolved') t.match(word, new RegExp(`^${shown.count} `))
      else if (!['working', 'paused'].includes(shown.state)) t.equal(word, shown.text, title)
    }
    if (shown.state === 'in_sync') t.strictSame(own, [], 'nothing is said of a pair that is in sync')
  }

  const { runs } = await get('/api/runs')
  t.strictSame(
    runs
      .filter((run: any) => run.sync_status !== null)
      .map((run: any) => ({ run_id: run.run_id, status: run.sync_status })),
    overview.runs,
  )
  for (const run of runs) {
    const detail = await get(`/api/runs/${run.run_id}`)
    t.strictSame(detail.run.sync_status, run.sync_status)
    if (run.sync_status === null || run.running) continue
    const { text, causes, count } = run.sync_status
    const items = causes
      .filter(({ kind }: any) => COUNTED.has(kind))
      .reduce((sum: number, one: any) => sum + one.count, 0)
    t.equal(items, run.open, 'the items of a run')
    const left = detail.pairs
      .flatMap((pair: any) => pair.features)
      .flatMap(({ sync_status }: any) => sync_status.causes)
    t.equal(
      left.filter(({ kind }: any) => COUNTED.has(kind)).reduce((sum: number, one: any) => sum + one.count, 0),
      items,
      'its features add up',
    )
    t.strictSame(
      (await get(`/api/runs?state=${run.sync_status.state}`)).runs.some(({ run_id: id }: any) => id === run.run_id),
      true,
    )
    const [notice] = hear({ name: 'run.finished', data: { ...run, status: run.sync_status }, atMs: 0 } as never).notices
    if (notice !== undefined) {
      t.equal(notice.title, `Sync: ${text}`, 'the notification')
      t.match(notice.text, new RegExp(`, ${items} needs? you,`))
    }
    const line = resultLine({ ...run, added_last: run.added } as never, run.sync_status)
    t.ok(line.startsWith(`${text}: `), line)
    const numbers = [...line.matchAll(/(\d+) needs? you/g)].map(([, n]) => Number(n))
    t.ok(
      numbers.every((n) => n === items || n === count),
      line,
    )
  }
  const newest = runs.find(({ dry_run: dry }: any) => !dry)
  if (newest !== undefined) t.equal((await get('/api/widget')).last_run.unresolved, newest.open, 'the widget')
  return overview
}

for (const world of WORLDS) {
  t.test(world.name, async (t) => {
    await house.enter(world)
    const overview = await compare(t)
    t.equal(overview.status.text, world.whole, 'the whole')
    t.equal(overview.pairs[0].status.text, world.pair, 'the first pair')
    if (world.run !== undefined)
      t.equal((await get('/api/runs')).runs[0].sync_status?.text ?? null, world.run, 'the run')
    const again = await service.call('/api/overview')
    const tag = again.headers.get('etag') ?? ''
    t.same(await again.json(), overview)
    t.equal((await service.call('/api/overview', { headers: { 'if-none-match': tag } })).status, 304)
  })
}

t.test('a run that is going on', async (t) => {
  await house.enter({ name: 'running', runs: [], whole: '', pair: '' })
  house.jellyfin.faults.add({ kind: 'hang', match: ({ path }) => /Items/i.test(path) })
  const { run_id: id } = await expectOk(service, '/api/run', { pair_id: pairs[0] })
  await until('it runs', async () => (await get('/api/pairs/status')).pairs[0].running)
  const overview = await compare(t)
  t.equal(overview.status.text, 'Working')
  t.equal(overview.pairs[0].status.text, 'Working')
  t.strictSame([overview.runs[0].run_id, overview.runs[0].status.text], [id, 'Working'])
  await expectOk(service, '/api/run/cancel', {})
  house.jellyfin.faults.clear()
  await until('it ended', async () => !(await get('/api/pairs/status')).pairs[0].running, 60_000)
  await expectOk(service, '/api/plugins/insights/reload', {})
  t.equal((await compare(t)).status.text, 'Paused', 'cancelled')
})
