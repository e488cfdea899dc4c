// slow: the whole service, or very many cases
// The service is killed at any moment of an update: it then has the complete old or new index.
import { glob, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { until } from '../../harness.ts'
import { cookieOf, type ServiceProcess, spawnService } from '../../service/process.ts'
import { type DataSets, startAnimeData } from '../../upstreams/anime-data.ts'

t.setTimeout(900_000)

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const KILLS = 5
const SHOWS = 6_000

t.test('a kill at any moment of an update leaves the old or the new index', async (t) => {
  await using source = await startAnimeData(dataOf(1))
  source.redirectTo(null)
  const data = join(t.testdir(), 'data')
  await mkdir(data, { recursive: true })
  let service = await spawnService(data)
  t.teardown(() => service.kill('SIGKILL'))
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  let ask = await signedIn(service)
  await ask('/api/config', {
    anime_mapping: { mappings_url: source.mappingsUrl, identities_url: source.identitiesUrl },
  })
  t.match(await ask('/api/anime-mapping/settings', { enabled: true }), { bootstrap: { job: 'started' } })
  await until('the first index', async () => (await ask('/api/anime-mapping/status')).index_ready === true, 60_000)

  const startedMs = performance.now()
  source.publish('v3', dataOf(2))
  t.match(await ask('/api/anime-mapping/update', {}), { updated: true, edge_count: edgesOf(2) })
  const usualMs = performance.now() - startedMs
  let last = 2
  const outcomes = new Set<string>()
  for (let kill = 0; kill < KILLS; kill += 1) {
    const next = last + 1
    source.publish('v3', dataOf(next))
    const update = ask('/api/anime-mapping/update', {}).catch(() => null)
    await sleep((usualMs * 1.2 * (kill + 0.5)) / KILLS)
    await service.kill('SIGKILL')
    await update
    const found = await indexIn(data)
    t.ok(found.edges === edgesOf(last) || found.edges === edgesOf(next), `${found.edges} edges after kill ${kill}`)
    t.equal(found.stored, found.edges, 'the file has what the state says')
    service = await spawnService(data)
    ask = await signedIn(service)
    const status = await ask('/api/anime-mapping/status')
    t.match(status, { status: 'installed', index_ready: true, edge_count: found.edges })
    outcomes.add(found.edges === edgesOf(next) ? 'new' : 'old')
    t.match(
      await ask('/api/anime-mapping/rebuild-index', {}),
      { rebuild: { edge_count: found.edges } },
      'its files fit',
    )
    t.match(await ask('/api/anime-mapping/update', {}), { edge_count: edgesOf(next) })
    const files = (await Array.fromAsync(glob(join(data, '**/mappings-*.json')))).length
    t.equal(files, 1, 'leftovers are removed')
    last = next
  }
  t.comment([...outcomes].join(', '))
  t.ok(outcomes.has('old'))
})

function edgesOf(version: number): number {
  return (SHOWS * 2 + version) * 2
}

function dataOf(version: number): DataSets {
  const mappings: Record<string, object> = {}
  for (let show = 1; show <= SHOWS; show += 1)
    mappings[`tvdb_show:${show}:s1`] = { [`anilist:${show}`]: { '1-12': '1-12' }, [`mal:${show}`]: { '1-12': '1-12' } }
  for (let extra = 1; extra <= version; extra += 1)
    mappings[`tvdb_show:${extra}:s2`] = { [`mal:${SHOWS + extra}`]: { '1': '1' } }
  return {
    stats: { meta: { generated_on: new Date(Date.UTC(2026, 0, version)).toISOString() } },
    mappings,
    identities: 'anidb\tmyanimelist\tanilist\tsimkl\tkitsu\n1\t2\t3\t4\t5\n',
  }
}

/** The state of the plugin, and the content of the file that it names. */
async function indexIn(data: string): Promise<{ readonly edges: number; readonly stored: number }> {
  const state = await stateIn(data)
  const [file] = await Array.fromAsync(glob(join(data, `**/index-${state.index.slot}.sqlite`)))
  const database = new DatabaseSync(file as string)
  try {
    if (database.prepare('SELECT build FROM meta').get()?.['build'] !== state.index.build)
      return { edges: 0, stored: -1 }
    const rows = database.prepare('SELECT edges FROM work').all()
    const stored = rows.reduce((sum, row) => sum + String(row['edges']).split('\n').length, 0)
    return { edges: state.index.counts.edge_count, stored }
  } finally {
    database.close()
  }
}

async function stateIn(data: string): Promise<any> {
  const database = new DatabaseSync(join(data, 'store.sqlite'))
  try {
    const rows = database.prepare("SELECT key, value FROM entries WHERE namespace = 'anime-mapping'").all()
    const state = rows.find(({ key }) => /\bstate$/.test(String(key)))
    return JSON.parse(String(state?.['value'])).value
  } finally {
    database.close()
  }
}

async function signedIn(service: ServiceProcess) {
  const cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
  return async (path: string, json?: object): Promise<any> => {
    const answer = await (json === undefined ? service.get(path, cookie) : service.post(path, json, cookie))
    return answer.json()
  }
}
