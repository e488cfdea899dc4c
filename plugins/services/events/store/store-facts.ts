// Stores facts in bulk: they are staged in a temporary table, then a few statements merge all of them in one
// transaction.
import type { SqlValue, ThreadDatabase } from '@playhead/sdk'
import type { Fact } from './facts.ts'
import { FLAG, KIND, LOOSE } from './flags.ts'

/** Columns of a fact, in the order of its values. */
const FACT_COLUMNS = [
  'dedupe',
  'now',
  'ts',
  'facet_id',
  'item_key',
  'title',
  'year',
  'season',
  'episode',
  'media_type',
  'play',
  'run_id',
  'group_key',
  'kind',
  'status',
  'flags',
  'weight',
  'old_value',
  'new_value',
  'value_type',
  'match_basis',
  'session_key',
  'source_file',
  'source_mtime',
  'detail',
  'note',
  'ack_at',
  'ack_by',
] as const

/** Index of the facet among the values of a fact. */
export const FACET_AT = FACT_COLUMNS.indexOf('facet_id')

interface Intake {
  take(values: readonly SqlValue[], fact: Pick<Fact, 'dedupe' | 'groupKey' | 'ts'>): void
  /** Merges the staged facts. */
  end(): void
}

/** For one transaction. Each merge holds a fact once, and the facts of a group in order of time. */
export function createIntake(database: ThreadDatabase): Intake {
  const staged = new Set<string>()
  const latestAt = new Map<string, number>()
  const begin = () => {
    for (const statement of STAGING_TABLE) database.run(statement)
    staged.clear()
    latestAt.clear()
  }
  const end = () => {
    if (staged.size > 0) for (const statement of MERGE) database.run(statement)
  }
  begin()
  return {
    take(values, { dedupe, groupKey, ts }) {
      if (staged.has(dedupe) || (latestAt.get(groupKey) ?? ts) > ts) {
        end()
        begin()
      }
      staged.add(dedupe)
      latestAt.set(groupKey, ts)
      database.run(STAGE, ...values)
    },
    end,
  }
}

const STAGING_TABLE = [
  `CREATE TEMP TABLE IF NOT EXISTS staged (seq INTEGER PRIMARY KEY, ${FACT_COLUMNS.join(', ')}, text_id, run_no, group_id, hidden)`,
  'DELETE FROM staged',
]
const VALUES = FACT_COLUMNS.map((name) => (name === 'dedupe' || name === 'group_key' ? 'unhex(?)' : '?'))
const STAGE = `INSERT INTO staged (${FACT_COLUMNS.join(', ')}) VALUES (${VALUES.join(', ')})`

const flagged = (...flags: readonly (keyof typeof FLAG)[]) =>
  `(flags & ${flags.reduce((bits, name) => bits | FLAG[name], 0)}) <> 0`
const detail = (name: string) => `json_extract(detail, '$.${name}')`
const count = (name: string) => `coalesce(${detail(name)}, 0)`
// Position of the last fact that fulfils the test.
const lastWhere = (test: string) => `max(CASE WHEN ${test} THEN seq END)`
// Position of the last fact with the highest rank.
const lastOfHighest = (rank: string) => `max(${rank} << 32 | seq) & 4294967295`
const REASON_RANK = `CASE WHEN (flags & ${FLAG.reasoned}) = 0 THEN 0 WHEN ${flagged('failure')} THEN 2 ELSE 1 END`
const NEWER = 'excluded.last_at >= last_at'
// The route comes from the latest event with the highest weight.
const ROUTES =
  '(excluded.weight > weight OR (excluded.weight = weight AND excluded.facet_at >= coalesce(facet_at, last_at)))'

/** @param which a condition on facts */
const foldInto = (which: string) => `
  INSERT INTO grp (key, kind, created_at, updated_at, first_at, last_at, event_count, status, status_at, facet_id, facet_at, weight, text_id, play,
    reason_facet, reason_rank, old_value, new_value, value_type, health_only, owner_run_no, run_no, note, kinds, phrases)
  SELECT last.group_key, last.kind, last.now, last.now, own.first_at, last.ts, own.n, coalesce(stated.status, 0), stated.ts, routed.facet_id, routed.ts, routed.weight,
    named.text_id, last.play, CASE WHEN own.reason_rank > 0 THEN reasoned.facet_id END, own.reason_rank, valued.old_value, valued.new_value, valued.value_type,
    own.health_only, CASE WHEN last.kind = ${KIND.item} THEN owned.run_no END, CASE WHEN last.kind = ${KIND.run} THEN last.run_no END, noted.note, own.kinds, '|'
  FROM (
    SELECT min(seq) AS first, max(seq) AS last, count(*) AS n, min(ts) AS first_at, min(${flagged('health')}) AS health_only, max(${REASON_RANK}) AS reason_rank,
      ${lastWhere('status IS NOT NULL')} AS stated, ${lastOfHighest('weight')} AS routed, ${lastWhere('text_id IS NOT NULL')} AS named,
      ${lastOfHighest(REASON_RANK)} AS reasoned, ${lastWhere('value_type IS NOT NULL')} AS valued, ${lastWhere('note IS NOT NULL')} AS noted,
      ${lastWhere('run_no IN (SELECT no FROM run WHERE group_id IS NOT NULL)')} AS owned,
      sum(DISTINCT (SELECT kind_bit FROM facet WHERE id = staged.facet_id)) | max(CASE WHEN ack_at IS NULL THEN 0 ELSE ${LOOSE} END) AS kinds
    FROM staged WHERE ${which} GROUP BY group_key
  ) own
  CROSS JOIN staged last ON last.seq = own.last CROSS JOIN staged routed ON routed.seq = own.routed CROSS JOIN staged reasoned ON reasoned.seq = own.reasoned
  LEFT JOIN staged stated ON stated.seq = own.stated LEFT JOIN staged named ON named.seq = own.named LEFT JOIN staged valued ON valued.seq = own.valued
  LEFT JOIN staged noted ON noted.seq = own.noted LEFT JOIN staged owned ON owned.seq = own.owned
  WHERE true ORDER BY own.first
  ON CONFLICT (key) DO UPDATE SET
    updated_at = excluded.updated_at, first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at), event_count = event_count + excluded.event_count,
    status = CASE WHEN excluded.status_at >= coalesce(status_at, excluded.status_at) THEN excluded.status ELSE status END,
    status_at = coalesce(max(status_at, excluded.status_at), status_at, excluded.status_at),
    facet_id = CASE WHEN ${ROUTES} THEN excluded.facet_id ELSE facet_id END, facet_at = CASE WHEN ${ROUTES} THEN excluded.facet_at ELSE facet_at END,
    weight = max(weight, excluded.weight),
    text_id = CASE WHEN ${NEWER} OR text_id IS NULL THEN coalesce(excluded.text_id, text_id) ELSE text_id END,
    reason_facet = CASE WHEN excluded.reason_rank > reason_rank OR (excluded.reason_rank > 0 AND excluded.reason_rank = reason_rank AND ${NEWER})
      THEN excluded.reason_facet ELSE reason_facet END,
    reason_rank = max(reason_rank, excluded.reason_rank),
    old_value = CASE WHEN ${NEWER} AND excluded.value_type IS NOT NULL THEN excluded.old_value ELSE old_value END,
    new_value = CASE WHEN ${NEWER} AND excluded.value_type IS NOT NULL THEN excluded.new_value ELSE new_value END,
    value_type = CASE WHEN ${NEWER} THEN coalesce(excluded.value_type, value_type) ELSE value_type END,
    health_only = health_only AND excluded.health_only, kinds = kinds | excluded.kinds,
    owner_run_no = CASE WHEN ${NEWER} THEN coalesce(excluded.owner_run_no, owner_run_no) ELSE owner_run_no END,
    note = CASE WHEN ${NEWER} THEN coalesce(excluded.note, note) ELSE note END`

const IS_KNOWN = 'SELECT dedupe FROM event WHERE dedupe = staged.dedupe'

const MERGE: readonly string[] = [
  // A repeated start only updates the progress.
  `UPDATE event SET detail = json_set(coalesce(event.detail, '{}'), '$.progress', json_extract(staged.detail, '$.progress')) FROM staged
    WHERE ${flagged('live')} AND event.dedupe = staged.dedupe AND json_extract(staged.detail, '$.progress') > coalesce(json_extract(event.detail, '$.progress'), -1)`,
  `DELETE FROM staged WHERE EXISTS (${IS_KNOWN})`,

  `INSERT OR IGNORE INTO item_text (item_key, title, year, season, episode, media_type)
    SELECT item_key, title, year, season, episode, media_type FROM staged WHERE item_key <> '' OR title <> '' ORDER BY seq`,
  'INSERT OR IGNORE INTO run (run_id) SELECT run_id FROM staged WHERE run_id IS NOT NULL GROUP BY run_id ORDER BY min(seq)',
  `UPDATE staged SET run_no = (SELECT no FROM run WHERE run_id = staged.run_id),
    text_id = (SELECT id FROM item_text x WHERE x.item_key = staged.item_key AND x.title = staged.title AND x.year = staged.year
      AND x.season = staged.season AND x.episode = staged.episode AND x.media_type = staged.media_type)`,

  // Runs come first: they own the groups of their items.
  foldInto(`kind = ${KIND.run}`),
  `UPDATE run SET group_id = g.id FROM staged CROSS JOIN grp g ON g.key = staged.group_key
    WHERE staged.kind = ${KIND.run} AND run.no = staged.run_no AND run.group_id IS NULL`,
  foldInto(`kind <> ${KIND.run}`),

  // An acknowledged group is reopened with all its events when it happens again.
  `UPDATE grp SET acks = json_insert(coalesce(acks, '[]'), '$[#]', json_object('at', ack_at, 'by', ack_by, 'reopened_at', again.ts)), ack_at = NULL, ack_by = NULL
    FROM (SELECT g.id, min(staged.ts) AS ts FROM staged CROSS JOIN grp g ON g.key = staged.group_key WHERE ${flagged('again')} AND staged.ts >= g.ack_at GROUP BY g.id) again
    WHERE grp.id = again.id`,
  `UPDATE event SET hidden = 0 WHERE hidden = 1 AND ack_at IS NULL
    AND group_id IN (SELECT g.id FROM staged CROSS JOIN grp g ON g.key = staged.group_key WHERE ${flagged('again')} AND g.ack_at IS NULL)`,

  `UPDATE staged SET (group_id, hidden) = (SELECT id, grp.ack_at IS NOT NULL OR staged.ack_at IS NOT NULL FROM grp WHERE key = staged.group_key)`,
  `UPDATE grp SET phrases = grp.phrases || added.phrases FROM (
      SELECT group_id, group_concat(facet_id, '|' ORDER BY first) || '|' AS phrases FROM (
        SELECT staged.group_id, staged.facet_id, min(staged.seq) AS first FROM staged CROSS JOIN grp g ON g.id = staged.group_id
          WHERE g.kind <> ${KIND.run} AND length(g.phrases) <= 300 AND instr(g.phrases, '|' || staged.facet_id || '|') = 0 GROUP BY staged.group_id, staged.facet_id)
      GROUP BY group_id) added WHERE grp.id = added.group_id`,
  `INSERT INTO event (dedupe, ts, facet_id, group_id, text_id, play, run_no, status, hidden, old_value, new_value, value_type, match_basis,
      session_key, source_file, source_mtime, detail, ack_at, ack_by)
    SELECT dedupe, ts, facet_id, group_id, text_id, play, run_no, status, hidden, old_value, new_value, value_type, match_basis,
      session_key, source_file, source_mtime, detail, ack_at, ack_by FROM staged ORDER BY seq`,
  `UPDATE facet SET n = facet.n + added.n, hidden_n = hidden_n + added.hidden FROM (SELECT facet_id, count(*) AS n, sum(hidden) AS hidden FROM staged GROUP BY facet_id) added
    WHERE id = added.facet_id`,

  `INSERT OR IGNORE INTO child (run_no, group_id) SELECT run_no, group_id FROM staged WHERE ${flagged('problem')} AND kind = ${KIND.item} AND run_no IS NOT NULL`,
  `UPDATE run SET problems = problems + added.n FROM (SELECT run_no, count(*) AS n FROM staged WHERE ${flagged('again')} AND run_no IS NOT NULL GROUP BY run_no) added
    WHERE no = added.run_no`,
  `UPDATE run SET started_at = min(coalesce(started_at, staged.ts), staged.ts), mode = ${detail('mode')}, dry_run = ${count('dry_run')}, status = coalesce(run.status, 'running')
    FROM staged WHERE ${flagged('started')} AND no = staged.run_no`,
  `UPDATE run SET started_at = coalesce(started_at, staged.ts), finished_at = staged.ts, dry_run = ${count('dry_run')},
      status = CASE WHEN ${count('cancelled')} THEN 'cancelled' WHEN ${detail('result')} IN ('failed', 'crashed') THEN ${detail('result')} ELSE 'done' END,
      ${['pairs', 'added', 'removed', 'updated', 'unresolved', 'blocked', 'errors'].map((name) => `${name} = ${count(name)}`).join(', ')}
    FROM staged WHERE ${flagged('finished')} AND no = staged.run_no`,
  `INSERT INTO run_route (run_no, source, destination, bad)
    SELECT run_no, source_provider, destination_provider, max(${flagged('error')}) FROM staged CROSS JOIN facet ON facet.id = facet_id
    WHERE ${flagged('planned', 'error')} AND run_no IS NOT NULL AND source_provider IS NOT NULL AND destination_provider IS NOT NULL
    GROUP BY run_no, source_provider, destination_provider
    ON CONFLICT DO UPDATE SET bad = max(bad, excluded.bad)`,
]
