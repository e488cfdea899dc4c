// What happens when a fact is put in: everything that is derived from it changes in the same statement, in the thread of the database.
// Facts are inserted into the view `fact`; one that is known already changes nothing.

/** Columns of the view, in the order in which facts are given. */
export const FACT_COLUMNS = [
  'dedupe', 'now', 'ts', 'facet', 'item_key', 'title', 'year', 'season', 'episode', 'media_type', 'play', 'run_id', 'group_key', 'kind',
  'status', 'flags', 'weight', 'old_value', 'new_value', 'value_type', 'match_basis', 'session_key', 'source_file', 'source_mtime', 'detail', 'note', 'ack_at', 'ack_by',
] as const

/** Bits of `flags`. */
export const FLAG = { problem: 1, failure: 2, health: 4, started: 8, finished: 16, live: 32, planned: 64, error: 128, reasoned: 256, again: 512 } as const

/** Kinds of groups. */
export const KIND = { item: 0, run: 1, audit: 2, scrobble: 3, other: 4 } as const

const TEXT_ID = `(SELECT id FROM item_text WHERE item_key = NEW.item_key AND title = NEW.title AND year = NEW.year
  AND season = NEW.season AND episode = NEW.episode AND media_type = NEW.media_type)`
const FACET_ID = '(SELECT id FROM facet WHERE key = NEW.facet)'
const RUN_NO = '(SELECT no FROM run WHERE run_id = NEW.run_id)'
const OWNER = '(SELECT no FROM run WHERE run_id = NEW.run_id AND group_id IS NOT NULL)'
const GROUP_ID = '(SELECT id FROM grp WHERE key = unhex(NEW.group_key))'
const IS_TOLD = 'EXISTS (SELECT 1 FROM event WHERE dedupe = unhex(NEW.dedupe))'
const REOPENS = `(NEW.flags & ${FLAG.again}) <> 0 AND ack_at <= NEW.ts`
const NEWER = 'NEW.ts >= last_at'
const count = (name: string) => `coalesce(json_extract(NEW.detail, '$.${name}'), 0)`

export const TRIGGERS: readonly string[] = [
  `CREATE VIEW fact AS SELECT ${FACT_COLUMNS.map((name) => `NULL AS ${name}`).join(', ')}`,

  `CREATE TRIGGER fact_new INSTEAD OF INSERT ON fact WHEN NOT ${IS_TOLD} BEGIN
    INSERT OR IGNORE INTO item_text (item_key, title, year, season, episode, media_type)
      SELECT NEW.item_key, NEW.title, NEW.year, NEW.season, NEW.episode, NEW.media_type WHERE NEW.item_key <> '' OR NEW.title <> '';
    INSERT OR IGNORE INTO run (run_id) SELECT NEW.run_id WHERE NEW.run_id IS NOT NULL;

    INSERT INTO grp (key, kind, created_at, updated_at, first_at, last_at, event_count, status, status_at, facet_id, weight, text_id, play,
      reason_facet, reason_rank, old_value, new_value, value_type, health_only, owner_run_no, run_no, note, phrases)
    VALUES (unhex(NEW.group_key), NEW.kind, NEW.now, NEW.now, NEW.ts, NEW.ts, 1, coalesce(NEW.status, 0),
      CASE WHEN NEW.status IS NOT NULL THEN NEW.ts END, ${FACET_ID}, NEW.weight, ${TEXT_ID}, NEW.play,
      CASE WHEN NEW.flags & ${FLAG.reasoned} THEN ${FACET_ID} END,
      CASE WHEN NEW.flags & ${FLAG.reasoned} = 0 THEN 0 WHEN NEW.flags & ${FLAG.failure} THEN 2 ELSE 1 END,
      NEW.old_value, NEW.new_value, NEW.value_type, (NEW.flags & ${FLAG.health}) <> 0,
      CASE WHEN NEW.kind = ${KIND.item} THEN ${OWNER} END, CASE WHEN NEW.kind = ${KIND.run} THEN ${RUN_NO} END, NEW.note,
      '|' || ${FACET_ID} || '|')
    ON CONFLICT (key) DO UPDATE SET
      updated_at = NEW.now, first_at = min(first_at, NEW.ts), last_at = max(last_at, NEW.ts), event_count = event_count + 1,
      status = CASE WHEN NEW.status IS NOT NULL AND NEW.ts >= coalesce(status_at, NEW.ts) THEN NEW.status ELSE status END,
      status_at = CASE WHEN NEW.status IS NOT NULL THEN max(NEW.ts, coalesce(status_at, NEW.ts)) ELSE status_at END,
      facet_id = CASE WHEN excluded.weight > weight OR (excluded.weight = weight AND ${NEWER}) THEN excluded.facet_id ELSE facet_id END,
      weight = max(weight, excluded.weight),
      text_id = CASE WHEN ${NEWER} OR text_id IS NULL THEN coalesce(excluded.text_id, text_id) ELSE text_id END,
      reason_facet = CASE WHEN excluded.reason_rank > reason_rank OR (excluded.reason_rank > 0 AND excluded.reason_rank = reason_rank AND ${NEWER})
        THEN excluded.reason_facet ELSE reason_facet END,
      reason_rank = max(reason_rank, excluded.reason_rank),
      old_value = CASE WHEN ${NEWER} AND NEW.value_type IS NOT NULL THEN NEW.old_value ELSE old_value END,
      new_value = CASE WHEN ${NEWER} AND NEW.value_type IS NOT NULL THEN NEW.new_value ELSE new_value END,
      value_type = CASE WHEN ${NEWER} THEN coalesce(NEW.value_type, value_type) ELSE value_type END,
      acks = CASE WHEN ${REOPENS} THEN json_insert(coalesce(acks, '[]'), '$[#]', json_object('at', ack_at, 'by', ack_by, 'reopened_at', NEW.ts)) ELSE acks END,
      ack_at = CASE WHEN ${REOPENS} THEN NULL ELSE ack_at END, ack_by = CASE WHEN ${REOPENS} THEN NULL ELSE ack_by END,
      health_only = health_only AND (NEW.flags & ${FLAG.health}) <> 0,
      owner_run_no = CASE WHEN NEW.kind = ${KIND.item} AND ${NEWER} THEN coalesce(excluded.owner_run_no, owner_run_no) ELSE owner_run_no END,
      note = CASE WHEN ${NEWER} THEN coalesce(NEW.note, note) ELSE note END,
      phrases = CASE WHEN NEW.kind = ${KIND.run} OR length(phrases) > 300 OR instr(phrases, excluded.phrases) > 0 THEN phrases
        ELSE phrases || substr(excluded.phrases, 2) END;

    UPDATE event SET hidden = 0 WHERE (NEW.flags & ${FLAG.again}) <> 0 AND hidden = 1 AND ack_at IS NULL
      AND group_id = (SELECT id FROM grp WHERE key = unhex(NEW.group_key) AND ack_at IS NULL);
    INSERT INTO event (dedupe, ts, facet_id, group_id, text_id, play, run_no, status, hidden, old_value, new_value, value_type, match_basis,
      session_key, source_file, source_mtime, detail, ack_at, ack_by)
    SELECT unhex(NEW.dedupe), NEW.ts, ${FACET_ID}, g.id, ${TEXT_ID}, NEW.play, ${RUN_NO}, NEW.status,
      g.ack_at IS NOT NULL OR NEW.ack_at IS NOT NULL, NEW.old_value, NEW.new_value, NEW.value_type, NEW.match_basis, NEW.session_key,
      NEW.source_file, NEW.source_mtime, NEW.detail, NEW.ack_at, NEW.ack_by
    FROM grp g WHERE g.key = unhex(NEW.group_key);

    INSERT OR IGNORE INTO child (run_no, group_id) SELECT ${RUN_NO}, ${GROUP_ID}
      WHERE (NEW.flags & ${FLAG.problem}) <> 0 AND NEW.kind = ${KIND.item} AND NEW.run_id IS NOT NULL;
    UPDATE run SET problems = problems + 1 WHERE (NEW.flags & ${FLAG.problem}) <> 0 AND run_id = NEW.run_id;
    UPDATE run SET group_id = ${GROUP_ID} WHERE NEW.kind = ${KIND.run} AND run_id = NEW.run_id AND group_id IS NULL;
    UPDATE run SET started_at = min(coalesce(started_at, NEW.ts), NEW.ts), mode = json_extract(NEW.detail, '$.mode'),
      dry_run = ${count('dry_run')}, status = coalesce(status, 'running')
      WHERE (NEW.flags & ${FLAG.started}) <> 0 AND run_id = NEW.run_id;
    UPDATE run SET started_at = coalesce(started_at, NEW.ts), finished_at = NEW.ts, dry_run = ${count('dry_run')},
      status = CASE WHEN ${count('cancelled')} THEN 'cancelled' WHEN json_extract(NEW.detail, '$.result') IN ('failed', 'crashed')
        THEN json_extract(NEW.detail, '$.result') ELSE 'done' END,
      ${['pairs', 'added', 'removed', 'updated', 'unresolved', 'blocked', 'errors'].map((name) => `${name} = ${count(name)}`).join(', ')}
      WHERE (NEW.flags & ${FLAG.finished}) <> 0 AND run_id = NEW.run_id;
    INSERT INTO run_route (run_no, source, destination, bad)
      SELECT ${RUN_NO}, source_provider, destination_provider, (NEW.flags & ${FLAG.error}) <> 0 FROM facet
      WHERE key = NEW.facet AND (NEW.flags & ${FLAG.planned | FLAG.error}) <> 0 AND NEW.run_id IS NOT NULL
        AND source_provider IS NOT NULL AND destination_provider IS NOT NULL
      ON CONFLICT DO UPDATE SET bad = max(bad, excluded.bad);
  END`,

  // Items may be told of before their run is.
  `CREATE TRIGGER run_grouped AFTER UPDATE OF group_id ON run WHEN OLD.group_id IS NULL AND NEW.group_id IS NOT NULL BEGIN
    UPDATE grp SET owner_run_no = NEW.no WHERE kind = ${KIND.item} AND owner_run_no IS NULL
      AND id IN (SELECT group_id FROM event WHERE run_no = NEW.no);
  END`,

  // A start that is told again only moves the progress on.
  `CREATE TRIGGER fact_again INSTEAD OF INSERT ON fact WHEN (NEW.flags & ${FLAG.live}) <> 0 AND ${IS_TOLD} BEGIN
    UPDATE event SET detail = json_set(coalesce(detail, '{}'), '$.progress', json_extract(NEW.detail, '$.progress'))
      WHERE dedupe = unhex(NEW.dedupe) AND json_extract(NEW.detail, '$.progress') > coalesce(json_extract(detail, '$.progress'), -1);
  END`,

  'CREATE TRIGGER event_counted AFTER INSERT ON event BEGIN UPDATE facet SET n = n + 1, hidden_n = hidden_n + NEW.hidden WHERE id = NEW.facet_id; END',
  `CREATE TRIGGER event_shown AFTER UPDATE OF hidden ON event WHEN NEW.hidden <> OLD.hidden BEGIN
    UPDATE facet SET hidden_n = hidden_n + NEW.hidden - OLD.hidden WHERE id = NEW.facet_id;
  END`,
  `CREATE TRIGGER event_gone AFTER DELETE ON event BEGIN
    UPDATE facet SET n = n - 1, hidden_n = hidden_n - OLD.hidden WHERE id = OLD.facet_id;
    UPDATE grp SET event_count = event_count - 1 WHERE id = OLD.group_id;
  END`,
  `CREATE TRIGGER grp_gone AFTER DELETE ON grp BEGIN
    DELETE FROM child WHERE group_id = OLD.id;
    UPDATE run SET group_id = NULL WHERE no = OLD.run_no;
  END`,

  `CREATE TRIGGER text_new AFTER INSERT ON item_text BEGIN INSERT INTO item_fts (rowid, title, item_key) VALUES (NEW.id, NEW.title, NEW.item_key); END`,
  `CREATE TRIGGER text_gone AFTER DELETE ON item_text BEGIN
    INSERT INTO item_fts (item_fts, rowid, title, item_key) VALUES ('delete', OLD.id, OLD.title, OLD.item_key);
  END`,
  'CREATE TRIGGER note_new AFTER INSERT ON grp WHEN NEW.note IS NOT NULL BEGIN INSERT INTO note_fts (rowid, note) VALUES (NEW.id, NEW.note); END',
  `CREATE TRIGGER note_changed AFTER UPDATE OF note ON grp WHEN NEW.note IS NOT OLD.note BEGIN
    INSERT INTO note_fts (note_fts, rowid, note) SELECT 'delete', OLD.id, OLD.note WHERE OLD.note IS NOT NULL;
    INSERT INTO note_fts (rowid, note) SELECT NEW.id, NEW.note WHERE NEW.note IS NOT NULL;
  END`,
  `CREATE TRIGGER note_gone AFTER DELETE ON grp WHEN OLD.note IS NOT NULL BEGIN
    INSERT INTO note_fts (note_fts, rowid, note) VALUES ('delete', OLD.id, OLD.note);
  END`,
]
