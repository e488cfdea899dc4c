import { oneOf, orNull, ShownMark, Type } from '@playhead/sdk'
import { ShownItem } from '@playhead/sdk/items'

const Text = Type.String()
const Texts = Type.Array(Text)
const Count = Type.Integer({ minimum: 0 })
const Counts = Type.Record(Text, Count)
const open = { additionalProperties: true }
const Ids = Type.Record(Text, Text)

export const FormatsAnswer = Type.Object({
  ok: Type.Boolean(),
  max_bytes: Count,
  formats: Type.Array(
    Type.Object({ id: Text, label: Text, hint: Text, features: Texts, mark: Type.Optional(ShownMark) }),
  ),
})

const Run = Type.Object(
  {
    provider: Text,
    instance: Text,
    dry_run: Type.Boolean(),
    features: Texts,
    options: Type.Optional(
      Type.Object({
        ratings: Type.Optional(orNull(Text)),
        undated_as: Type.Optional(orNull(Text)),
        person: Type.Optional(orNull(Text)),
      }),
    ),
    plan_ids: Type.Array(Text, { description: 'The plans of the account that were made, in order; see /api/plans.' }),
    started_at: Type.Integer({ description: 'Epoch milliseconds.' }),
    ended_at: orNull(Type.Integer()),
    error: orNull(Text),
    message: orNull(Text),
    not_undone: Type.Array(Type.Object({ reason: Text, reason_label: Text, count: Count }), {
      description: 'The rows that an undo left unchanged, by reason.',
    }),
    left_to_undo: Type.Integer({ description: 'How many of these another undo may revert.' }),
  },
  { ...open, title: 'ImportRun' },
)

const Import = Type.Object(
  {
    import_id: Text,
    format: Text,
    label: Text,
    name: Text,
    bytes: Count,
    created_at: Type.Integer({ description: 'Epoch milliseconds.' }),
    state: Type.String({
      description:
        'previewed, comparing, planned, running, done, failed, cancelled, interrupted, undoing, undone or partly_undone.',
    }),
    rows: Count,
    matched: Type.Integer({ description: 'Rows with ids, and plays with a time.' }),
    ambiguous: Type.Integer({ description: 'Rows with only a title: choose at /titles.' }),
    unmatched: Type.Integer({ description: 'Rows that cannot be written as they are.' }),
    features: Type.Record(Text, Type.Object({ rows: Count, matched: Count, ambiguous: Count, unmatched: Count })),
    reasons: Counts,
    titles: Type.Object({ total: Count, open: Count }),
    persons: Type.Array(Type.Object({ name: Text, rows: Count }), {
      description: 'Profiles of a household; one of them is imported at a time.',
    }),
    skipped: Counts,
    warnings: Type.Array(Type.Object({ code: Text, file: Text, count: Count })),
    plan: Type.Record(Text, Counts, { description: 'The decisions of the last comparison, by feature.' }),
    outcomes: Counts,
    run: orNull(Run),
  },
  { ...open, title: 'Import' },
)

export const ImportAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    ...Import.properties,
    accepted: Type.Optional(Type.Boolean({ description: 'It is still running.' })),
  },
  open,
)
export const ImportsAnswer = Type.Object({
  ok: Type.Boolean(),
  imports: Type.Array(
    Type.Object(
      { import_id: Text, format: Text, label: Text, name: Text, created_at: Count, state: Text, run: orNull(Run) },
      open,
    ),
  ),
})

const Row = Type.Object(
  {
    n: Count,
    feature: Text,
    title: orNull(Count),
    person: orNull(Text),
    key: Text,
    item: ShownItem,
    state: Text,
    reason: orNull(Text),
    file: Text,
    plan: orNull(Text),
    plan_reason: orNull(Text),
    outcome: orNull(Text),
    outcome_reason: orNull(Text),
  },
  { ...open, title: 'ImportRow' },
)
export const RowsAnswer = Type.Object({
  ok: Type.Boolean(),
  total: Count,
  offset: Count,
  limit: Count,
  rows: Type.Array(Row),
})

const Choice = Type.Object({
  type: oneOf(['movie', 'show']),
  ids: Ids,
  title: Type.Optional(Text),
  year: Type.Optional(Type.Integer()),
})
const Suggestion = Type.Object(
  { type: Text, ids: Ids, title: Text, year: orNull(Type.Integer()), source: Text },
  { title: 'TitleSuggestion' },
)
export const TitlesAnswer = Type.Object({
  ok: Type.Boolean(),
  total: Count,
  offset: Count,
  limit: Count,
  metadata_ready: Type.Boolean({ description: 'Titles are searched for, not only looked up in the library.' }),
  titles: Type.Array(
    Type.Object({
      title: Type.Integer({ description: 'Number of the title, for choices.' }),
      about: Type.Object({ type: Text, title: Text, year: orNull(Type.Integer()) }),
      rows: Count,
      suggestions: orNull(Type.Array(Suggestion)),
      choice: Type.Union([Choice, Type.Literal('skip'), Type.Null()], {
        description: 'The choice: a work, `skip`, or null.',
      }),
    }),
  ),
})

export const DeletedAnswer = Type.Object({ ok: Type.Boolean(), import_id: Text })
