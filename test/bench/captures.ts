// Captures of an account with 200,000 rows: time, memory above idle, and the longest stall of each step.
import type { Client } from '../demo/sign-in.ts'
import type { Figure } from './index.ts'
import { changingProvider } from './large-provider.ts'
import { withService } from './sync.ts'

const ROWS = Number(process.env['BENCH_ROWS'] ?? 200_000)
const CHANGED = ROWS / 10
const API = '/api/snapshots'

export async function benchCaptures(): Promise<readonly Figure[]> {
  return withService(
    async ({ client, service }) => {
      const figures: Figure[] = []
      // Permanent threads and code are part of the idle memory.
      await ended(client, '/restore', { path: 'x/y.json' }).catch(() => {})
      await client.json(`${API}/list`)
      await service.ask('sample')

      async function step<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
        // Do not attribute garbage of an earlier step to this one.
        await new Promise((resolve) => setTimeout(resolve, 5_000))
        const idle = Number(await service.ask('memory'))
        await service.ask('reset')
        const startedAt = performance.now()
        const result = await work()
        const wallMs = performance.now() - startedAt
        const stallMs = await service.ask('block')
        figures.push(
          { what: `${what}: wall`, value: wallMs / 1_000, unit: 's' },
          {
            what: `${what}: peak memory above idle (${Math.round(idle / 1e6)} MB)`,
            value: ((await service.ask('peak')) - idle) / 1e6,
            unit: 'MB',
            aim: '< 150',
          },
          { what: `${what}: longest event-loop stall`, value: stallMs, unit: 'ms', aim: '< 50' },
        )
        return result
      }

      const order = { provider: 'LARGEA', feature: 'watchlist' }
      const first = await step(`capture of ${ROWS} rows`, () => ended(client, '/create', order))
      const second = await step('second capture', () => ended(client, '/create', order))
      const [a, b] = [first.result.snapshot.path, second.result.snapshot.path]
      figures.push({ what: 'size of the file', value: (await list(client))[0].size / 1e6, unit: 'MB' })
      const both = `a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`
      const diff = await step(`diff, ${CHANGED} rows differ`, () => get(client, `/diff?${both}`))
      if (diff.diff.summary.added !== CHANGED || diff.diff.summary.removed !== CHANGED)
        throw new Error(JSON.stringify(diff.diff.summary))
      await step('page of 5,000 of the extended diff', () => get(client, `/diff/extended?${both}&offset=100000`))
      await step('search in it', () => get(client, `/diff/extended?${both}&q=number+77777`))
      await step('page of 1,000 in the middle of a capture', () =>
        get(client, `/read?path=${encodeURIComponent(a)}&offset=${ROWS / 2}&limit=1000`),
      )
      const plan = await step('plan of a restore (exact)', () =>
        ended(client, '/restore', { path: a, mode: 'exact', dry_run: true }),
      )
      if (plan.result.planned.add !== CHANGED || plan.result.planned.remove !== CHANGED)
        throw new Error(JSON.stringify(plan.result.planned))
      const merge = await step('plan of a restore (merge)', () =>
        ended(client, '/restore', { path: a, mode: 'merge', dry_run: true }),
      )
      if (merge.result.planned.add !== CHANGED) throw new Error(JSON.stringify(merge.result.planned))
      await step('plan of a clear_restore', () =>
        ended(client, '/restore', { path: a, mode: 'clear_restore', dry_run: true }),
      )
      return figures
    },
    changingProvider(ROWS, CHANGED),
  )
}

async function get(client: Client, path: string): Promise<any> {
  const { status, body } = await client.json(API + path)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body
}

const list = async (client: Client): Promise<any[]> => (await get(client, '/list')).snapshots

/** Starts a job and waits for its end. */
async function ended(client: Client, path: string, json: object): Promise<any> {
  const { status, body } = await client.json(API + path, { json: { ...json, background: true } })
  if (status !== 202) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  for (;;) {
    const { progress } = await get(client, `/capture-progress/${body.progress_id}`)
    if (progress.state === 'succeeded') return progress
    if (progress.done) throw new Error(JSON.stringify(progress).slice(0, 500))
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
