// Imports: rows per second from an upload to a compared plan and into the tracker, process memory, and event loop stalls
// meanwhile.
import { mkdtemp, rm } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '../harness.ts'
import { importZip, zipOf } from '../plugins/maintenance/world.ts'
import type { Figure } from './index.ts'

const ROWS = Number(process.env['BENCH_ROWS'] ?? 200_000)
const WRITTEN = Number(process.env['BENCH_WRITES'] ?? 10_000)

export async function benchImports(): Promise<readonly Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-bench-imports-'))
  const figures: Figure[] = []
  try {
    await using service = await startService({ shipped: true, watch: false, directory })
    const upload = async (text: string) => {
      const body = new FormData()
      body.set('file', new Blob([text]), 'export.csv')
      const { status, body: answer } = await service.json('/api/import/preview', { method: 'POST', body })
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(answer)}`)
      return answer
    }
    const run = async (id: string, more: object) => {
      let { body } = await service.json('/api/import/run', { json: { import_id: id, provider: 'SVC', ...more } })
      while (['comparing', 'running'].includes(body.state)) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        body = (await service.json(`/api/import/${id}`)).body
      }
      if (!['planned', 'done'].includes(body.state)) throw new Error(JSON.stringify(body))
      return body
    }
    await upload(fileOf(10))
    const before = process.memoryUsage().rss
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss)
    }, 50)
    const loop = monitorEventLoopDelay({ resolution: 1 })
    loop.enable()
    const text = fileOf(ROWS)
    loop.reset()
    let id = ''
    const readMs = await timed(async () => {
      id = (await upload(text)).import_id
    })
    figures.push(
      {
        what: `${ROWS} rows of a CSV file (${Math.round(text.length / 1e6)} MB) uploaded, read and stored`,
        value: readMs,
        unit: 'ms',
      },
      { what: 'rows per second', value: (ROWS / readMs) * 1_000, unit: 'rows' },
    )
    const compareMs = await timed(() => run(id, { dry_run: true }))
    figures.push(
      { what: `${ROWS} rows compared with an empty tracker`, value: compareMs, unit: 'ms' },
      { what: 'longest stall of the event loop meanwhile', value: loop.max / 1e6, unit: 'ms', aim: '50' },
      { what: 'most memory beside that before', value: (most - before) / 1e6, unit: 'MB' },
    )
    const small = (await upload(fileOf(WRITTEN))).import_id
    loop.reset()
    const writeMs = await timed(() => run(small, {}))
    figures.push(
      { what: `${WRITTEN} rows written to the tracker`, value: writeMs, unit: 'ms' },
      { what: 'rows per second written', value: (WRITTEN / writeMs) * 1_000, unit: 'rows' },
    )
    const again = (await upload(fileOf(WRITTEN))).import_id
    const againMs = await timed(() => run(again, {}))
    figures.push({ what: `the same ${WRITTEN} rows again, all known`, value: againMs, unit: 'ms' })
    const exportMs = await timed(async () => {
      const answer = await service.call('/api/export/file?provider=SVC&feature=history&format=json')
      const { count } = (await answer.json()) as { count: number }
      if (count !== WRITTEN) throw new Error(`${count} rows were exported`)
    })
    figures.push(
      { what: `${WRITTEN} rows exported as JSON`, value: exportMs, unit: 'ms' },
      {
        what: 'longest stall of the event loop while writing and exporting',
        value: loop.max / 1e6,
        unit: 'ms',
        aim: '50',
      },
    )
    const archive = await zipOf({ 'history.json': historyOf(ROWS) })
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    const idle = process.memoryUsage().rss
    most = idle
    loop.reset()
    const replaceMs = await timed(async () => {
      const { status, body: answer } = await importZip(service, archive)
      if (status !== 200) throw new Error(JSON.stringify(answer))
    })
    figures.push(
      { what: `${ROWS} plays imported from an export of the tracker`, value: replaceMs / 1_000, unit: 's' },
      { what: 'longest stall of the event loop meanwhile', value: loop.max / 1e6, unit: 'ms', aim: '50' },
      { what: 'most memory beside that before', value: (most - idle) / 1e6, unit: 'MB' },
    )
    clearInterval(watch)
    return figures
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** A history in the format of Yamtrack. */
function fileOf(rows: number): string {
  const header =
    'media_id,source,media_type,title,image,season_number,episode_number,score,status,notes,start_date,end_date,progress,created_at,progressed_at'
  const lines = Array.from({ length: rows }, (_, index) => {
    const at = new Date(Date.UTC(2010, 0, 1) + index * 1_800_000).toISOString().slice(0, 19).replace('T', ' ')
    return `${1 + index},tmdb,movie,"Film number ${index}, a title",,,,,Completed,,,${at}+00:00,1,,`
  })
  return `${header}\n${lines.join('\n')}\n`
}

/** A history in the format of the tracker. */
function historyOf(rows: number): string {
  const items = Array.from({ length: rows }, (_, index) => {
    const watched_at = new Date(Date.UTC(2010, 0, 1) + index * 1_800_000).toISOString()
    const item = {
      type: 'movie',
      title: `Film number ${index}, a title`,
      ids: { tmdb: String(1 + index) },
      watched: true,
      watched_at,
    }
    return `"k${index}":${JSON.stringify(item)}`
  })
  return `{"ts":1770000000,"items":{${items.join(',')}}}`
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
