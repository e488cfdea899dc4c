// Creates notices from bus events, and counts the events for the digest.
import {
  itemsThatNeedYou,
  needYou,
  type Notice,
  statusText,
  type SyncStatus,
  type PlayheadEvent,
  type RunCounts,
} from '@playhead/sdk'

interface Heard {
  readonly notices: readonly Notice[]
  readonly tally: Readonly<Record<string, number>>
}

const NOTHING: Heard = { notices: [], tally: {} }
const STOPPED = new Set(['quarantined', 'failed', 'stuck'])

export const BUS_EVENTS = [
  'run.finished',
  'work.blocked',
  'plugin.quarantined',
  'plugin.reload_failed',
  'plugin.stuck',
  'backup.failed',
  'database.damaged',
  'play.recorded',
] as const

export function hear({ name, data, atMs }: PlayheadEvent): Heard {
  switch (name) {
    case 'run.finished':
      return runFinished(data, atMs)
    case 'work.blocked':
      if (data['code'] !== 'disk_low') return NOTHING
      return only({
        event: 'disk_low',
        severity: 'error',
        title: 'The disk is almost full',
        text: textOf(data['message']),
        atMs,
        path: '/settings/about',
      })
    case 'plugin.quarantined':
    case 'plugin.reload_failed':
    case 'plugin.stuck': {
      const plugin = textOf(data['plugin'])
      const state = textOf(data['state'])
      // After a failed reload the previous version may still run.
      if (!STOPPED.has(state)) return NOTHING
      return only({
        event: 'plugin_stopped',
        severity: 'error',
        title: `The plugin ${plugin} does not run`,
        text: `It is ${state}.`,
        atMs,
        path: `/plugins/${plugin}`,
        // It is tried again, at first every few seconds.
        key: `plugin_stopped ${plugin}`,
      })
    }
    case 'backup.failed':
      return only({
        event: 'backup_failed',
        severity: 'error',
        title: `The backup "${textOf(data['label'])}" failed`,
        text: textOf(data['reason']),
        atMs,
      })
    case 'database.damaged':
      return only({
        event: 'database_damaged',
        severity: 'error',
        title: `A database is damaged: ${textOf(data['path'])}`,
        text: 'Repair it, or restore a backup.',
        atMs,
        path: '/maintenance',
      })
    case 'play.recorded': {
      const account = textOf(data['account'])
      const notice: Notice = {
        event: 'play_recorded',
        severity: 'info',
        title: `Watched: ${textOf(data['title'])}`,
        text: [textOf(data['part']), account === '' ? '' : `by ${account}`].filter((part) => part !== '').join(', '),
        atMs,
        // A play that is sent to several trackers counts once.
        key: `play:${textOf(data['viewing'])}`,
      }
      return { notices: [notice], tally: { plays: 1 } }
    }
    default:
      return NOTHING
  }
}

function runFinished(data: PlayheadEvent['data'], atMs: number): Heard {
  if (data['dry_run'] === true || data['result'] === 'cancelled' || data['result'] === 'skipped') return NOTHING
  const count = (name: string) => (typeof data[name] === 'number' ? data[name] : 0)
  const [added, removed, updated] = [count('added'), count('removed'), count('updated')]
  const counts = `${added} added, ${removed} removed, ${updated} updated, ${needYou(itemsThatNeedYou(data as RunCounts))}, ${count('errors')} errors.`
  const path = `/runs/${textOf(data['run_id'])}`
  const facts = { title: `Sync: ${statusIn(data)}`, text: counts, atMs, path, data }
  const isFailed = data['result'] === 'failed'
  const isPartial = data['result'] === 'partial'
  const tally = { runs: 1, added, removed, updated, ...(isFailed || isPartial ? { runs_unwell: 1 } : {}) }
  if (isFailed) return { notices: [{ ...facts, event: 'run_failed', severity: 'error' }], tally }
  if (isPartial) return { notices: [{ ...facts, event: 'run_partial', severity: 'warning' }], tally }
  return added + removed + updated === 0
    ? { notices: [], tally }
    : { notices: [{ ...facts, event: 'run_done', severity: 'info' }], tally }
}

/** The status that the run left. Events of older versions lack it. */
function statusIn(data: PlayheadEvent['data']): string {
  const { text } = (data['status'] ?? {}) as Partial<SyncStatus>
  if (text !== undefined) return text
  if (data['result'] === 'failed') return statusText('failed')
  const open = itemsThatNeedYou(data as RunCounts)
  return open > 0 ? needYou(open) : statusText(data['result'] === 'ok' ? 'in_sync' : 'failed')
}

function only(notice: Notice): Heard {
  return { notices: [notice], tally: {} }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
