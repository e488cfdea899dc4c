// Follows a run on its stream until it ends. The first Ctrl+C stops the run, the second only stops following.
import type { Answer, Client } from '@playhead/sdk/client'
import { count, type Output } from './output.ts'

type Summary = Answer<'GET /api/run/summary'>

/** Undefined: the person stopped following before the run ended. */
export async function followRun(client: Client, runId: string, output: Output): Promise<Summary | undefined> {
  const leave = new AbortController()
  let interrupts = 0
  const interrupt = () => {
    interrupts += 1
    if (interrupts > 1) return leave.abort()
    output.line('Stopping after the current request. Press Ctrl+C again to leave without waiting.')
    client.call('POST /api/run/cancel', { body: {} }).catch((error: unknown) => {
      output.line(`Could not stop the run: ${(error as Error).message}`)
    })
  }
  process.on('SIGINT', interrupt)
  try {
    let hold = ''
    const ended = new Set<string>()
    for await (const { event, data } of client.events('GET /api/run/summary/stream', { signal: leave.signal })) {
      const summary =
        event === 'message'
          ? (data as Summary)
          : event === 'gap'
            ? await client.call('GET /api/run/summary')
            : undefined
      if (summary?.run_id !== runId) continue
      report(summary)
      if (summary.running === false) return summary
    }
    return undefined

    function report(summary: Summary): void {
      const { on_hold: held } = summary
      if (held !== undefined && held.detail !== hold) output.line(`Waiting to start: ${held.detail}`)
      hold = held?.detail ?? ''
      for (const { pair_id: pair, features } of summary.pairs ?? [])
        for (const one of features) {
          if (ended.has(`${pair} ${one.feature}`) || one.status === undefined) continue
          ended.add(`${pair} ${one.feature}`)
          output.line(
            `${pair}  ${one.feature}: ${one.status}${one.planned > 0 ? `, ${count(one.planned, 'change')}` : ''}`,
          )
        }
      output.progress(progressOf(summary))
    }
  } finally {
    process.off('SIGINT', interrupt)
  }
}

function progressOf({ _phase: phase }: Summary): string {
  if (phase === undefined) return 'Starting'
  const { snapshot, apply } = phase
  if (apply.total > 0) return `Writing ${apply.done} of ${apply.total}`
  return snapshot.total > 0 ? `Reading ${snapshot.done} of ${snapshot.total}` : 'Reading'
}
