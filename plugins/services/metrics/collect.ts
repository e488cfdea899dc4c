// Collects all sources in parallel. A missing, failing or slow source omits its metrics, which a metric of its own
// reports.
import { type Logger, PlayheadError, isPlayheadError, withTimeLimit } from '@playhead/sdk'
import { gauge, type Family } from './exposition.ts'
import type { Source } from './sources.ts'

const LIMIT_MS = 5_000

/** Concurrent callers share one collection. */
export function createCollector(
  sources: Readonly<Record<string, Source>>,
  log: Logger,
): () => Promise<readonly Family[]> {
  const failing = new Set<string>()
  let current: Promise<readonly Family[]> | null = null

  async function ask(name: string, source: Source): Promise<readonly Family[]> {
    try {
      const found = await withTimeLimit(source(), LIMIT_MS, () => late(name))
      failing.delete(name)
      return found
    } catch (error) {
      // Log a repeated failure once: a scraper comes every few seconds.
      if (!failing.has(name) && !isPlayheadError(error, 'PLH_CAPABILITY_GONE'))
        log.warn({ err: error, source: name }, 'metrics of a source are left out')
      failing.add(name)
      return []
    }
  }

  async function collect(): Promise<readonly Family[]> {
    const names = Object.keys(sources)
    const found = await Promise.all(names.map((name) => ask(name, sources[name] as Source)))
    const up = names.map((name) => ({ labels: { source: name }, value: Number(!failing.has(name)) }))
    return [
      ...found.flat(),
      gauge(
        'playhead_metrics_source_up',
        '0 for a source whose metrics are left out: its plugin is off, or it failed.',
        up,
      ),
    ]
  }

  return () =>
    (current ??= collect().finally(() => {
      current = null
    }))
}

function late(name: string): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM_TIMEOUT', `"${name}" did not answer within ${LIMIT_MS / 1_000} s.`)
}
