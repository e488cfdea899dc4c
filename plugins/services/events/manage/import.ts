// Imports events. A bad row does not affect the others, and the same row is imported only once.
import { type EventDomain, type EventRecord, PlayheadError, type Static, Type, yieldToLoop } from '@playhead/sdk'
import type { Archive } from '../store/archive.ts'
import { digest } from '../store/facts.ts'
import { readTime } from '../query/filters.ts'
import type { RecordedFact } from '../store/event-batch.ts'
import { all, change, fragment } from '../query/sql.ts'
import { DOMAINS, kindOf, SEVERITIES } from '../store/vocabulary.ts'

export const ImportBody = Type.Object(
  {
    events: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: 100_000, description: 'Events in the form in which they are listed.' }),
    ),
    runs: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 100_000 })),
    source: Type.Optional(
      Type.String({ maxLength: 200, description: 'Origin of the events, stored as `source_file`.' }),
    ),
    source_state: Type.Optional(Type.Boolean({ description: 'Also adds the open items of the sync.' })),
    restore: Type.Optional(Type.Boolean({ description: 'Also restores acknowledgements.' })),
    dry_run: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
)
export type ImportBody = Static<typeof ImportBody>

interface ImportProblem {
  readonly index: number
  readonly error: string
  readonly field?: string
}

const MAX_ERRORS = 100
const BATCH = 500
const TEXTS = [
  'feature',
  'operation',
  'pair_key',
  'run_id',
  'match_basis',
  'session_key',
  'reason_code',
  'title',
  'media_type',
  'item_key',
  'value_type',
  'old_value',
  'new_value',
  'source_kind',
] as const
const NUMBERS = ['year', 'season', 'episode'] as const
const PARTIES = ['source', 'destination', 'origin'] as const
const RUN_COUNTS = ['pairs', 'added', 'removed', 'updated', 'unresolved', 'blocked', 'errors'] as const
const RUN_STATUSES = ['running', 'done', 'cancelled', 'failed', 'crashed']

/**
 * @param state open items of the sync, as events
 * @param assertAudit throws if the caller may not add to the record of what was done to the service
 */
export async function importEvents(
  archive: Archive,
  body: ImportBody,
  state: () => Promise<readonly EventRecord[]>,
  assertAudit: () => void,
) {
  if (body.events === undefined && body.runs === undefined && body.source_state !== true) {
    throw new PlayheadError('PLH_INVALID', 'Send events, runs, or source_state with true.', {
      wire: 'validation_failed',
    })
  }
  const problems: ImportProblem[] = []
  const rows: RecordedFact[] = []
  for (const [index, row] of (body.events ?? []).entries()) {
    const read = readEvent(row, index, body, archive.now())
    if ('error' in read) problems.push(read)
    else rows.push(read)
    if (index % 2_000 === 1_999) await yieldToLoop()
  }
  if (rows.some(({ record }) => record.domain === 'audit')) assertAudit()
  if (body.source_state === true)
    rows.push(
      ...(await state()).map(
        (record): RecordedFact => ({ record, imported: { dedupe: identityOf('source_state', record, null) } }),
      ),
    )
  const runs = (body.runs ?? []).flatMap((row, index) => {
    const read = readRun(row, index)
    if (!('error' in read)) return [read.values]
    problems.push(read)
    return []
  })
  const groupsBefore = await groupTicks(archive)
  const { imported, duplicates } = await archive.writer.alone(() => take(archive, rows, body.dry_run === true))
  if (body.dry_run !== true && runs.length > 0) await archive.writer.alone(() => takeRuns(archive, runs))
  return {
    ok: true,
    imported,
    duplicates,
    skipped: problems.length,
    files: body.source === undefined ? 0 : 1,
    groups_touched: body.dry_run === true ? 0 : Math.max(0, (await groupTicks(archive)) - groupsBefore),
    ...(runs.length > 0 ? { runs: runs.length } : {}),
    ...(body.dry_run === true ? { dry_run: true } : {}),
    errors: problems.slice(0, MAX_ERRORS),
    errors_total: problems.length,
  }
}

async function take(
  archive: Archive,
  rows: readonly RecordedFact[],
  dryRun: boolean,
): Promise<{ readonly imported: number; readonly duplicates: number }> {
  const { db } = await archive.database()
  const seen = new Set<string>()
  let imported = 0
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH)
    const keys = batch.map(({ imported: parts }) => parts?.dedupe ?? '')
    const stored = await all(
      db,
      fragment(
        'SELECT lower(hex(dedupe)) AS key FROM event WHERE dedupe IN (SELECT unhex(value) FROM json_each(?))',
        JSON.stringify(keys),
      ),
    )
    for (const { key } of stored) seen.add(String(key))
    const fresh = batch.filter(({ imported: parts }) => {
      const key = parts?.dedupe ?? ''
      if (seen.has(key)) return false
      seen.add(key)
      return true
    })
    imported += fresh.length
    if (!dryRun && fresh.length > 0) await archive.writer.store(fresh)
  }
  if (!dryRun)
    await change(
      db,
      fragment(
        "INSERT INTO meta (name, value) VALUES ('last_import', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        Math.floor(archive.now() / 1_000),
      ),
    )
  return { imported, duplicates: rows.length - imported }
}

async function takeRuns(archive: Archive, runs: readonly (readonly (string | number | null)[])[]): Promise<void> {
  const columns = ['run_id', 'started_at', 'finished_at', 'mode', 'dry_run', 'status', ...RUN_COUNTS]
  const update = columns
    .slice(1)
    .map((name) => `${name} = coalesce(${name === 'dry_run' ? 'excluded.dry_run' : `run.${name}, excluded.${name}`})`)
  await (await archive.database()).insertMany(
    `INSERT INTO run (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ON CONFLICT (run_id) DO UPDATE SET ${update.join(', ').replaceAll('coalesce(excluded.dry_run)', 'excluded.dry_run')}`,
    runs,
  )
}

/** Increases with each new group. */
async function groupTicks(archive: Archive): Promise<number> {
  const [row] = await all((await archive.database()).db, fragment('SELECT count(*) AS n FROM grp'))
  return Number(row?.['n'] ?? 0)
}

function readEvent(
  row: unknown,
  index: number,
  { source, restore }: ImportBody,
  nowMs: number,
): RecordedFact | ImportProblem {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return { index, error: 'An event is an object.' }
  const given = row as Readonly<Record<string, unknown>>
  const fail = (field: string, error: string): ImportProblem => ({ index, error, field })
  const text = (name: string) => (typeof given[name] === 'string' && given[name] !== '' ? given[name] : undefined)
  const type = text('event_type')
  if (type === undefined || !/^[a-z0-9][a-z0-9_:.-]{0,119}$/i.test(type))
    return fail('event_type', 'A kind of event is needed, in letters, digits and _ : . -')
  const domain = text('domain') ?? kindOf(type)?.domain ?? 'sync'
  if (!DOMAINS.includes(domain as EventDomain)) return fail('domain', `One of ${DOMAINS.join(', ')}.`)
  const severity = text('severity') ?? 'info'
  if (!SEVERITIES.includes(severity as never)) return fail('severity', `One of ${SEVERITIES.join(', ')}.`)
  const at = given['created_at'] ?? Math.floor(nowMs / 1_000)
  const atSeconds = typeof at === 'number' ? at : typeof at === 'string' ? readTime(at) : null
  if (atSeconds === null || !Number.isFinite(atSeconds) || atSeconds < 0 || atSeconds > 1e11)
    return fail('created_at', 'Seconds since 1970, or ISO 8601.')
  for (const name of TEXTS) {
    const value = given[name]
    if (value != null && typeof value !== 'string') return fail(name, 'A text.')
    if (typeof value === 'string' && value.length > 2_000) return fail(name, 'At most 2000 characters.')
  }
  for (const name of NUMBERS) {
    const value = given[name]
    if (value != null && (!Number.isInteger(value) || (value as number) < 0 || (value as number) > 1_000_000))
      return fail(name, 'A whole number.')
  }
  const detail = typeof given['detail'] === 'string' ? parsed(given['detail']) : given['detail']
  if (detail != null && (typeof detail !== 'object' || Array.isArray(detail))) return fail('detail', 'An object.')
  const direction = text('direction')
  if (direction !== undefined && direction !== 'a_to_b' && direction !== 'b_to_a')
    return fail('direction', 'a_to_b or b_to_a.')
  const party = (name: (typeof PARTIES)[number]) => {
    const provider = text(`${name}_provider`)
    return provider === undefined ? undefined : { provider, instance: text(`${name}_instance`) ?? 'default' }
  }
  const [from, to, origin] = PARTIES.map(party)
  const key = text('item_key')
  const title = text('title')
  const reason = text('reason_code') ?? text('reason')
  const ackAt = given['acknowledged_at']
  const record = {
    type,
    domain: domain as EventDomain,
    severity: severity as EventRecord['severity'] & string,
    atMs: Math.floor(atSeconds) * 1_000,
    source_kind: 'json_import',
    ...optional({
      run_id: text('run_id'),
      feature: text('feature') as EventRecord['feature'],
      operation: text('operation'),
      pair_key: text('pair_key'),
      direction,
      source: from,
      destination: to,
      origin: origin === undefined ? undefined : { ...origin, confidence: confidenceOf(given['origin_confidence']) },
      item:
        key === undefined && title === undefined
          ? undefined
          : {
              key: key ?? '',
              title: title ?? null,
              ...optional({
                year: given['year'],
                season: given['season'],
                episode: given['episode'],
                media_type: text('media_type'),
              }),
            },
      change:
        text('value_type') === undefined
          ? undefined
          : { old: text('old_value') ?? null, new: text('new_value') ?? null, kind: text('value_type') },
      reason_code: reason,
      match_basis: text('match_basis'),
      session_key: text('session_key'),
      detail: (detail ?? undefined) as EventRecord['detail'],
    }),
  } as EventRecord
  return {
    record,
    imported: {
      dedupe: identityOf(
        source ?? '',
        record,
        text('event_hash') ?? (given['id'] === undefined ? null : String(given['id'])),
      ),
      source_file: source ?? text('source_file') ?? null,
      source_mtime: typeof given['source_mtime'] === 'number' ? Math.floor(given['source_mtime']) : null,
      ack:
        restore === true && typeof ackAt === 'number'
          ? { at: Math.floor(ackAt), by: text('acknowledged_by') ?? null }
          : null,
    },
  }
}

function confidenceOf(given: unknown): 'exact' | 'inferred' | 'unknown' {
  return given === 'exact' || given === 'inferred' ? given : 'unknown'
}

/** Digest by which a repeated fact is found: the id given by its source, or its content. */
function identityOf(source: string, record: EventRecord, id: string | null): string {
  return digest(
    id === null ? ['import', source, JSON.stringify(record)] : ['import', source, id, record.type, record.atMs ?? 0],
  )
}

function readRun(
  row: unknown,
  index: number,
): { readonly values: readonly (string | number | null)[] } | ImportProblem {
  const given = (typeof row === 'object' && row !== null ? row : {}) as Readonly<Record<string, unknown>>
  const id = given['run_id']
  if (typeof id !== 'string' || id === '' || id.length > 200)
    return { index, error: 'A run has a run_id.', field: 'runs.run_id' }
  const time = (name: string) => {
    const value = given[name]
    return value == null
      ? null
      : typeof value === 'number'
        ? Math.floor(value)
        : typeof value === 'string'
          ? readTime(value)
          : Number.NaN
  }
  const times = [time('started_at'), time('finished_at')]
  if (times.some((value) => value !== null && !Number.isFinite(value)))
    return { index, error: 'Seconds since 1970, or ISO 8601.', field: 'runs.started_at' }
  const status = given['status'] ?? 'done'
  if (!RUN_STATUSES.includes(status as string))
    return { index, error: `One of ${RUN_STATUSES.join(', ')}.`, field: 'runs.status' }
  const counts = RUN_COUNTS.map((name) => (Number.isInteger(given[name]) ? (given[name] as number) : null))
  return {
    values: [
      id,
      ...times,
      typeof given['mode'] === 'string' ? given['mode'] : null,
      given['dry_run'] === true || given['dry_run'] === 1 ? 1 : 0,
      status as string,
      ...counts,
    ],
  }
}

function optional<T extends Readonly<Record<string, unknown>>>(
  fields: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as never
}

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return []
  }
}
