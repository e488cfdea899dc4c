// Pages of the editor over 100,000 rows, alone and concurrently.
import { mkdtemp, rm } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectOk } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import type { Figure } from './index.ts'
import { watchlistProviders } from './large-provider.ts'
import { writePlugins } from './sync.ts'

const ROWS = Number(process.env['BENCH_ROWS'] ?? 100_000)
const REPEATS = 20

export async function benchEditor(): Promise<readonly Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-bench-editor-'))
  const figures: Figure[] = []
  try {
    await writePlugins(directory, watchlistProviders(ROWS))
    await using service = await startService({ shipped: true, watch: false, directory })
    await expectOk(service, '/api/config', { runtime: { debug: true } })
    const name = 'LARGEA'
    const importedMs = await timed(async () => {
      let answer = await service.json('/api/editor/state/import', { json: { provider: name, features: ['watchlist'] } })
      while (answer.status === 202 || answer.status === 409) {
        await new Promise((resolve) => setTimeout(resolve, 200))
        const { jobs } = (await service.json('/api/editor/state/import/providers')).body
        if (jobs[0].state === 'done') break
        answer = { ...answer, status: 202 }
      }
    })
    figures.push({ what: `${ROWS} rows read and stored by an import`, value: importedMs, unit: 'ms' })
    const page = async (query: string) => {
      const { status, body } = await service.json(`/api/editor?provider=${name}&${query}`)
      if (status !== 200 || body.count !== ROWS) throw new Error(`${status} ${body.count}`)
      return body
    }
    figures.push({
      what: 'the first page after the rows changed',
      value: await timed(() => page('')),
      unit: 'ms',
      aim: '150',
    })
    figures.push({
      what: 'a search right after it, which waits for the index',
      value: await timed(() => page('q=77777')),
      unit: 'ms',
    })
    const loop = monitorEventLoopDelay({ resolution: 1 })
    loop.enable()
    for (const [what, query] of [
      ['a page of 500 in the middle', () => `offset=${Math.floor(ROWS / 2)}`],
      ['the last page', () => `offset=${ROWS - 500}`],
      ['a page of 5,000', () => 'limit=5000'],
      ['sorted by title', () => 'sort=title&offset=40000'],
      ['sorted by time, newest first', () => 'sort=time&order=desc'],
      ['a search that finds 1', (round: number) => `q=number ${12_345 + round}`],
      ['a search that finds nearly all', () => 'q=film'],
    ] as const) {
      const times: number[] = []
      for (let round = 0; round < REPEATS; round += 1) times.push(await timed(() => page(query(round))))
      times.sort((a, b) => a - b)
      figures.push(
        { what: `${what}: median`, value: times[REPEATS / 2]!, unit: 'ms', aim: '150' },
        { what: `${what}: slowest of ${REPEATS}`, value: times.at(-1)!, unit: 'ms', aim: '150' },
      )
    }
    figures.push({ what: 'longest stall of the event loop meanwhile', value: loop.max / 1e6, unit: 'ms', aim: '50' })
    return figures
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
