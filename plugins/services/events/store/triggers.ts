// Triggers that maintain counters, the search index and the rows that depend on a group.
import { KIND, KIND_BITS, LOOSE } from './flags.ts'

export const TRIGGERS: readonly string[] = [
  // Items may be recorded before their run.
  `CREATE TRIGGER run_grouped AFTER UPDATE OF group_id ON run WHEN OLD.group_id IS NULL AND NEW.group_id IS NOT NULL BEGIN
    UPDATE grp SET owner_run_no = NEW.no WHERE kind = ${KIND.item} AND owner_run_no IS NULL
      AND id IN (SELECT group_id FROM event WHERE run_no = NEW.no);
  END`,

  `CREATE TRIGGER event_shown AFTER UPDATE OF hidden ON event WHEN NEW.hidden <> OLD.hidden BEGIN
    UPDATE facet SET hidden_n = hidden_n + NEW.hidden - OLD.hidden WHERE id = NEW.facet_id;
  END`,
  `CREATE TRIGGER event_gone AFTER DELETE ON event BEGIN
    UPDATE facet SET n = n - 1, hidden_n = hidden_n - OLD.hidden WHERE id = OLD.facet_id;
    UPDATE grp SET event_count = event_count - 1, kinds = kinds | ${LOOSE} WHERE id = OLD.group_id;
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

  // The `kinds` column of groups.
  `CREATE TRIGGER facet_kind AFTER INSERT ON facet BEGIN
    UPDATE facet SET kind_bit = coalesce(
      (SELECT kind_bit FROM facet other WHERE other.event_type = NEW.event_type AND other.id <> NEW.id LIMIT 1),
      1 << min(${KIND_BITS}, (SELECT count(DISTINCT event_type) FROM facet))
    ) WHERE id = NEW.id;
  END`,
  `CREATE TRIGGER event_marked AFTER UPDATE OF ack_at ON event WHEN NEW.ack_at IS NOT NULL BEGIN
    UPDATE grp SET kinds = kinds | ${LOOSE} WHERE id = NEW.group_id;
  END`,
]
