// Opens the archive file and provides its reader, its writer and the capability for other plugins.
import {
  accountLabel,
  accountName,
  type AccountNames,
  ACCOUNTS,
  createOnce,
  type EventArchive,
  type EventRecord,
  type Logger,
  type PluginContext,
  SYNC,
  type Tables,
  pause,
} from '@playhead/sdk'
import { compileFilter } from '../query/filters.ts'
import { createFacets, type Facets } from './facets.ts'
import { all, change, firstNumber, fragment } from '../query/sql.ts'
import { migrations } from './schema.ts'
import { selectEvents } from '../query/select.ts'
import { eventsSince } from '../query/since.ts'
import work from './thread.ts'
import { eventRows, type Reading } from '../query/view.ts'
import { codeOfStatus } from './vocabulary.ts'
import { type ArchiveDatabase, createWriter, type Writer } from './writer.ts'

/** A rebuild of the groups that runs in the background. */
export interface CorrelationJob {
  readonly job_id: string
  readonly groups_done: number
  readonly groups: number
}

export interface Archive extends EventArchive {
  readonly writer: Writer
  readonly log: Logger
  readonly facets: Facets
  /** Opens the file at first use, and retries after a failure. */
  database(): Promise<ArchiveDatabase>
  /** Includes recent records unless the queue is very long. */
  reading(): Promise<Reading>
  now(): number
  /** Closes runs that were interrupted by the end of a process. */
  closeInterrupted(): Promise<void>
  /** Name of the unreadable file that was moved aside. */
  setAside(): string | null
  /** The running rebuild of the groups, if any. */
  regrouping: CorrelationJob | null
}

const SETTLE_MS = 400
const LOG_PAGES = 4_000
const MAX_TRACED = 500
const PROBLEM_STATUSES = (['failed', 'unresolved', 'blackboxed', 'warning'] as const).map(codeOfStatus)

export function createArchive(ctx: PluginContext, now: () => number = Date.now): Archive {
  const { log } = ctx
  const database = createOnce(open)
  let setAside: string | null = null
  const reader = async (): Promise<Tables> => (await database()).reader
  const facets = createFacets(reader)
  const writer = createWriter({ database, redact: ctx.host.redact, log, now })

  async function open(): Promise<ArchiveDatabase> {
    const opened = await ctx.openDatabase('archive', {
      migrations,
      onUnreadable: 'set_aside',
      onThread: { file: ctx.assets.path('store/thread.ts'), work },
      // Batches touch the same pages repeatedly.
      checkpointPages: LOG_PAGES,
    })
    // Registered after the file, so that the queue is stored before the file closes.
    ctx.defer(() => writer.close())
    if (opened.setAside !== null) {
      setAside = opened.setAside
      log.error(
        { file: setAside },
        'the event archive could not be read; it was moved aside and an empty one was created',
      )
      void record([
        {
          type: 'audit_archive_set_aside',
          domain: 'audit',
          severity: 'error',
          operation: 'archive_set_aside',
          reason_code: 'failed',
          source_kind: 'app',
          detail: { message: `The event archive could not be read and was set aside as ${setAside}`, file: setAside },
        },
      ])
    }
    return opened
  }

  async function record(records: readonly EventRecord[]): Promise<void> {
    if (records.length > 0) await writer.record(records)
  }

  async function settled(): Promise<void> {
    const limit = new AbortController()
    await Promise.race([writer.flushed(), pause(SETTLE_MS, limit.signal)])
    limit.abort()
  }

  async function reading(): Promise<Reading> {
    await settled()
    return { reader: await reader(), facets, names }
  }

  /** Names of accounts as people see them. */
  async function names(): Promise<AccountNames> {
    const accounts = ctx.tryUse(ACCOUNTS)
    if (accounts === undefined) return accountName
    const [services, profiles] = await Promise.all([accounts.providers(), accounts.list()])
    const labels = new Map(services.map(({ id, label }) => [id, label]))
    const given = new Map(profiles.map(({ provider, instance, label }) => [accountName(provider, instance), label]))
    return (provider, instance) =>
      accountLabel(labels.get(provider) ?? provider, instance, given.get(accountName(provider, instance)))
  }

  return {
    regrouping: null,
    writer,
    log,
    facets,
    database,
    reading,
    now,
    record,
    flushed: () => writer.flushed(),
    async itemTrace(key, limit = MAX_TRACED) {
      const current = await reading()
      const filter = await compileFilter({ item_key: key, visibility: 'all', domain: 'all' }, current)
      const { ids } = await selectEvents(current.reader, filter, {
        limit: Math.max(1, Math.min(limit, MAX_TRACED)),
        offset: 0,
      })
      return await eventRows(current, ids)
    },
    async since(id, limit) {
      // Followers must not miss events, so wait for the whole queue.
      await writer.flushed()
      return await eventsSince({ reader: await reader(), facets, names }, id, limit)
    },
    async facts() {
      const opened = await database()
      const events = await firstNumber(opened.reader, fragment('SELECT sum(n) FROM facet'))
      const problems = await openProblems(opened.reader)
      const { file, log: ahead } = await opened.size()
      return { events, open_problems: problems, size_bytes: file + ahead, dropped: writer.dropped() }
    },
    async closeInterrupted() {
      const { db } = await database()
      // Asking the sync loads it; skip that when no run is open.
      if ((await firstNumber(db, fragment("SELECT count(*) FROM run WHERE status = 'running'"))) === 0) return
      const active = (await ctx.tryUse(SYNC)?.active()) ?? null
      await writer.alone(async () => {
        const cut = await all(
          db,
          fragment("SELECT no FROM run WHERE status = 'running' AND run_id <> ?", active?.run_id ?? ''),
        )
        for (const { no } of cut) {
          await change(db, fragment("UPDATE run SET status = 'crashed' WHERE no = ?", no as number))
          await change(
            db,
            fragment(
              'UPDATE grp SET status = ?, status_at = last_at, note = ? WHERE run_no = ?',
              codeOfStatus('failed'),
              'Run was cut off by the end of the service',
              no as number,
            ),
          )
        }
      })
    },
    setAside: () => setAside,
  }
}

/** Number of groups that need attention. */
export async function openProblems(reader: Tables): Promise<number> {
  return await firstNumber(
    reader,
    fragment(`SELECT count(*) FROM grp WHERE status IN (${PROBLEM_STATUSES.join(', ')}) AND ack_at IS NULL`),
  )
}
