import { oneOf, orNull, Type } from '@playhead/sdk'
import { ShownItem } from '@playhead/sdk/items'

const open = { additionalProperties: true }
const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Counts = Type.Record(Text, Count)
const Ids = Type.Record(Text, Text)
const Severity = Type.Union([Type.Literal('error'), Type.Literal('warn'), Type.Literal('info')])

const ABOUT_TITLE = {
  title: Type.Optional(orNull(Text)),
  year: Type.Optional(orNull(Type.Integer())),
  type: Type.Optional(orNull(Text)),
  series_title: Type.Optional(orNull(Text)),
  season: Type.Optional(orNull(Type.Integer())),
  episode: Type.Optional(orNull(Type.Integer())),
  ids: Type.Optional(Ids),
}

const Problem = Type.Object(
  {
    type: Text,
    severity: Severity,
    category: Text,
    message: Text,
    provider: orNull(Text),
    feature: orNull(Text),
    key: Type.Optional(Text),
    title: Type.Optional(orNull(Text)),
    rule: Text,
    fixable: Type.Optional(Type.Boolean()),
    fix_with: Type.Optional(
      Type.Record(Text, Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        description: 'Fields to send with a request to fix it.',
      }),
    ),
    choices: Type.Optional(
      Type.Array(Text, {
        description:
          'A person decides whose value of `values` is right: one of these accounts, sent as `keep` to fix it.',
      }),
    ),
  },
  { ...open, title: 'Problem' },
)
const Summary = Type.Object({
  total: Count,
  by_severity: Type.Object({ error: Count, warn: Count, info: Count }),
  by_category: Counts,
  by_type: Counts,
})
const Route = { pair_id: Text, source: Text, target: Text, feature: Text }
const Timings = Type.Record(Text, Type.Union([Count, Type.Boolean()]), {
  description: 'Milliseconds; `cache_hit`: nothing changed since.',
})
const Failures = Type.Array(Type.Object({ rule: Text, plugin: Text, reason: Text, message: Text }), {
  description: 'Rules that failed; their problems are missing.',
})
const Paging = { total: Count, offset: Count, limit: Count, has_more: Type.Boolean() }

export const ProblemsAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    problems: Type.Array(Problem),
    ...Paging,
    summary: Summary,
    excluded: Type.Integer({ description: 'Problems that a person hid.' }),
    pair_stats: Type.Array(
      Type.Object({ ...Route, total: Count, synced: Count, unsynced: Count, anime_synced: Count }),
    ),
    pair_exclusions: Type.Array(
      Type.Object({ ...Route, scanned_total: Count, accepted_total: Count, excluded_total: Count }, open),
    ),
    attention: Type.Object({
      rows: Type.Array(
        Type.Object(
          {
            ...{ feature: Text, provider: Text, key: Text },
            ...ABOUT_TITLE,
            target: Type.Optional(orNull(Text)),
            reason: Type.Optional(orNull(Text)),
            current_mismatch: Type.Optional(Type.Boolean()),
            unresolved: Type.Optional(Type.Boolean()),
            blocked: Type.Optional(Type.Boolean()),
            keys: Type.Optional(Type.Array(Text)),
          },
          { ...open, title: 'AttentionRow' },
        ),
      ),
      counts: Type.Object({
        current_mismatch: Count,
        pending_retry: Count,
        blocked: Count,
        total: Count,
        anime_resolved: Count,
      }),
    }),
    timings_ms: Timings,
    failed_rules: Failures,
  },
  open,
)

export const RulesAnswer = Type.Object({
  ok: Type.Boolean(),
  rules: Type.Array(
    Type.Object({
      rule: Text,
      label: Text,
      problems: Type.Array(
        Type.Object({
          type: Text,
          severity: Severity,
          category: Text,
          label: Type.Optional(Text),
          meaning: Text,
          fix: orNull(Type.String({ description: 'The effect of the fix.' })),
          fixable: Type.Boolean(),
        }),
      ),
    }),
  ),
})

export const SystemAnswer = Type.Object({
  ok: Type.Boolean(),
  problems: Type.Array(Problem),
  summary: Summary,
  timings_ms: Timings,
  failed_rules: Failures,
})

const ABOUT_ITEM = {
  ...ABOUT_TITLE,
  provider_label: Type.Optional(Text),
  watched_at: Type.Optional(orNull(Type.String({ description: 'ISO 8601.' }))),
  rating: Type.Optional(orNull(Type.Number({ description: '1 to 10.' }))),
  rated_at: Type.Optional(orNull(Text)),
  progress: Type.Optional(orNull(Type.Number({ description: 'Percent.' }))),
  added_at: Type.Optional(orNull(Text)),
}
const StateRow = Type.Object(
  {
    provider: Text,
    provider_base: Text,
    instance: orNull(Text),
    feature: Text,
    key: Text,
    flags: Type.Array(Text),
    ...ABOUT_ITEM,
  },
  { ...open, title: 'AnalyzerRow' },
)
export const StateAnswer = Type.Object({
  ok: Type.Boolean(),
  counts: Type.Record(Text, Counts, { description: 'Rows by account and feature.' }),
  items: Type.Array(StateRow),
  ...Paging,
})

export const DetailAnswer = Type.Object({
  ok: Type.Boolean(),
  targets: Type.Array(Text),
  hints: Type.Array(Type.Object({ provider: Text, feature: Text, kind: Text, message: Text, source: Text }, open)),
  target_show_info: Type.Array(Type.Object({ target: Text, feature: Text, message: Text }, open)),
})

export const RatingsAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    providers: Type.Record(
      Text,
      Type.Object({
        ratings: Type.Record(
          Text,
          Type.Object({ ids: Ids, tmdb_release: Type.Object({ date: Type.Optional(Text) }) }, open),
        ),
      }),
    ),
    conflicts: Type.Array(
      Type.Object(
        {
          keys: Type.Array(Text),
          title: orNull(Text),
          year: orNull(Type.Integer()),
          type: Text,
          ids: Ids,
          values: Type.Record(Text, Type.Object({ rating: orNull(Type.Number()), rated_at: orNull(Text) }), {
            description: 'By account.',
          }),
          spread: Type.Number(),
        },
        open,
      ),
    ),
    rated_before_release: Type.Array(
      Type.Object({ provider: Text, key: Text, title: orNull(Text), rated_at: Text, release: Text }, open),
    ),
    invalid: Type.Array(Type.Object({ provider: Text, key: Text, rating: orNull(Type.Number()) }, open)),
    missing: Type.Array(Type.Object({ provider: Text, key: Text, targets: Type.Array(Text) }, open)),
    summary: Counts,
    pending_metadata: Count,
  },
  open,
)

export const StoredAnswer = Type.Object({
  ok: Type.Boolean(),
  artifacts: Type.Array(
    Type.Object(
      {
        name: Text,
        kind: Text,
        provider: orNull(Text),
        instance: Type.Optional(orNull(Text)),
        feature: orNull(Text),
        scope: orNull(Text),
        entries: Count,
        newest: orNull(Type.Integer({ description: 'Epoch seconds.' })),
        oldest: orNull(Type.Integer()),
        size_bytes: orNull(Count),
        problems: Type.Array(Text),
      },
      open,
    ),
  ),
  totals: Counts,
  providers: Type.Record(Text, Type.Record(Text, Counts)),
})

export const ActivityAnswer = Type.Object({
  ok: Type.Boolean(),
  pairs: Type.Array(
    Type.Object({
      id: Text,
      last_run_ns: Type.Integer({
        description: 'Nanoseconds since the epoch, exact; beyond the safe integers of JavaScript. 0: never.',
      }),
      last_run_ms: Count,
    }),
  ),
})

export const ChangeAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    new_key: Text,
    change_id: orNull(Type.String({ description: 'For the undo; null if nothing changed.' })),
    conflict_key: Type.Optional(Type.String({ description: 'Another row has this key; the old key is kept.' })),
    changes: Type.Optional(Type.Array(Text)),
    plan: Type.Optional(
      orNull(
        Type.Object({
          provider: Text,
          instance: Text,
          feature: Text,
          changes: Type.Array(
            Type.Object({ op: oneOf(['add', 'update', 'remove']), key: Type.Optional(Text), item: ShownItem }, open),
          ),
        }),
      ),
    ),
    dry_run: Type.Optional(Type.Boolean()),
  },
  open,
)

export const DeleteAnswer = Type.Object({ ok: Type.Boolean(), change_id: Text })

export const UndoAnswer = Type.Object({
  ok: Type.Boolean(),
  change_id: Text,
  state: oneOf(['undone', 'partly']),
  run_id: orNull(Type.String({ description: 'The run that undid it.' })),
  not_undone: Type.Array(Type.Object({ reason: Text, reason_label: Text, count: Type.Integer() })),
  left_to_undo: Type.Integer({ description: 'How many of these another undo may revert.' }),
})

export const SuggestAnswer = Type.Object({
  ok: Type.Boolean(),
  suggestions: Type.Array(
    Type.Object(
      {
        ids: Ids,
        title: orNull(Text),
        year: orNull(Type.Integer()),
        type: Text,
        source: Text,
        confidence: Type.Number({ minimum: 0, maximum: 1 }),
        reason: Text,
        conflicts: Type.Array(Text),
        new_key: Text,
      },
      open,
    ),
  ),
  needs: Type.Array(Text),
})

export const ChangesAnswer = Type.Object({
  ok: Type.Boolean(),
  changes: Type.Array(
    Type.Object({
      change_id: Text,
      at_ms: Type.Integer({ description: 'Epoch milliseconds.' }),
      provider: Text,
      instance: Text,
      feature: Text,
      key: Text,
      new_key: Text,
      operation: oneOf(['patch', 'fix', 'delete']),
      before: orNull(ShownItem),
      after: orNull(ShownItem),
      by: oneOf(['plan', 'policy', 'rows']),
      plan_id: orNull(Text),
      policy_before: orNull(ShownItem),
      undone: Type.Boolean(),
    }),
  ),
})

export const ExclusionsAnswer = Type.Object({
  ok: Type.Boolean(),
  exclusions: Type.Array(
    Type.Object({ type: Text, provider: Type.Optional(Text), feature: Type.Optional(Text), key: Type.Optional(Text) }),
  ),
})
