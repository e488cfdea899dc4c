import { PlayheadError, type TSchema, Type, isPlayheadError, oneOf, orNull, ORIGINS } from '@playhead/sdk'

const Text = Type.String()
const TextOrNull = orNull(Text)
const Count = Type.Integer()
const CountOrNull = orNull(Count)
const Counts = Type.Record(Text, Count)
const Value = orNull(Type.String({ description: 'A value as text; its kind is in `value_type`.' }))
const Detail = orNull(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'What is recorded beside, by `event_type`; free-form, because plugins and imports record it. At most 16 KB, without secrets.',
    },
  ),
)

const Origin = Type.Object(
  {
    provider: Text,
    instance: Text,
    act: oneOf(['set', 'remove']),
    at: TextOrNull,
    by: oneOf(ORIGINS),
    value: Type.Optional(Text),
    from_at: Type.Optional(Text),
    to_at: Type.Optional(Text),
  },
  { title: 'EventOrigin', description: 'Whose act an operation carried, as in the items of a plan.' },
)
const ITEM = {
  item_key: TextOrNull,
  title: TextOrNull,
  year: CountOrNull,
  media_type: TextOrNull,
  season: CountOrNull,
  episode: CountOrNull,
}
const ROUTE = {
  source_provider: TextOrNull,
  source_instance: TextOrNull,
  destination_provider: TextOrNull,
  destination_instance: TextOrNull,
  origin_provider: TextOrNull,
  origin_instance: TextOrNull,
  pair_key: TextOrNull,
  direction: TextOrNull,
}
const SHARED = {
  id: Count,
  domain: Text,
  ...ITEM,
  ...ROUTE,
  feature: TextOrNull,
  operation: TextOrNull,
  severity: Text,
  reason_code: TextOrNull,
  reason: TextOrNull,
  reason_label: Type.Optional(Text),
  acknowledged_at: CountOrNull,
  acknowledged_by: TextOrNull,
  run_id: TextOrNull,
}
const EventAnswer = Type.Object(
  {
    ...SHARED,
    created_at: Count,
    event_type: Text,
    group_id: Count,
    old_value: Value,
    new_value: Value,
    value_type: TextOrNull,
    detail: Detail,
    origin: Type.Optional(orNull(Origin)),
    origin_label: Type.Optional(
      orNull(Type.String({ description: 'The origin as English sentences, with days in UTC.' })),
    ),
    origin_carrier: Type.Optional(
      orNull(
        Type.Object(
          { provider: Text, instance: Text },
          {
            description:
              'The account that shows, or lacks, what Playhead wrote because of it. Null: the act itself was found.',
          },
        ),
      ),
    ),
    match_basis: TextOrNull,
    event_hash: Type.Optional(Text),
    origin_confidence: Type.Optional(TextOrNull),
    source_kind: Type.Optional(
      Type.Union([Text, Type.Null()], { description: '`runtime`, or where it was imported from.' }),
    ),
    session_key: Type.Optional(TextOrNull),
    source_file: Type.Optional(
      Type.Union([Text, Type.Null()], { description: 'The source file of an imported event.' }),
    ),
    source_mtime: Type.Optional(orNull(Type.Number())),
  },
  { additionalProperties: true, title: 'Event' },
)
const SummaryParts = Type.Object(
  {
    kind: Text,
    status: Text,
    item: TextOrNull,
    route: TextOrNull,
    reason_code: TextOrNull,
    change: orNull(Type.Object({ old: Value, new: Value, type: TextOrNull })),
    note: TextOrNull,
    steps: Type.Optional(Type.Array(Text)),
  },
  { description: 'The parts of `summary`.', title: 'EventSummary' },
)
const GroupAnswer = Type.Object(
  {
    ...SHARED,
    created_at: Count,
    updated_at: Count,
    first_event_at: CountOrNull,
    last_event_at: CountOrNull,
    event_count: Count,
    status: Text,
    summary: Text,
    summary_parts: SummaryParts,
    owner_run_group_id: CountOrNull,
    group_hash: Type.Optional(Text),
  },
  { additionalProperties: true, title: 'EventGroup' },
)

const page = (items: TSchema) =>
  Type.Object(
    {
      ok: Type.Optional(Type.Boolean()),
      items: Type.Array(items),
      total: Count,
      total_capped: Type.Optional(Type.Boolean({ description: 'There are more than this.' })),
      limit: Count,
      offset: Count,
      next: orNull(Type.String({ description: 'Send it as after for the next page.' })),
    },
    { additionalProperties: true },
  )
/** Groups or events, depending on `view`. */
export const ListAnswer = page(Type.Union([GroupAnswer, EventAnswer]))
export const GroupsAnswer = page(GroupAnswer)
export const EventsAnswer = page(EventAnswer)
export const TreeAnswer = page(
  Type.Intersect([GroupAnswer, Type.Object({ children: Type.Array(GroupAnswer), children_total: Count })]),
)
export const StatusAnswer = Type.Object({
  ok: Type.Boolean(),
  available: Type.Boolean(),
  events: Count,
  runs: Count,
  dropped: Count,
  acknowledged: Type.Optional(Count),
  groups: Type.Optional(Count),
  open_problems: Type.Optional(Count),
  first_event: Type.Optional(CountOrNull),
  last_event: Type.Optional(CountOrNull),
  last_import: Type.Optional(CountOrNull),
  by_type: Type.Optional(Counts),
  by_domain: Type.Optional(Counts),
  size_bytes: Type.Optional(Count),
  set_aside: Type.Optional(
    orNull(Type.String({ description: 'The file of a damaged archive, which was replaced by an empty one.' })),
  ),
  correlation: Type.Optional(
    orNull(
      Type.Object(
        { job_id: Text, groups_done: Count, groups: Count },
        { description: 'A running rebuild of the groups.' },
      ),
    ),
  ),
})
export const GroupDetailAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    group: GroupAnswer,
    events: Type.Array(EventAnswer),
    context: Type.Object({ run_id: TextOrNull, owner_run_group_id: CountOrNull }),
    related_groups: Type.Array(GroupAnswer),
    aggregate: Type.Object({
      event_count: Count,
      by_type: Counts,
      by_severity: Counts,
      first_event_at: CountOrNull,
      last_event_at: CountOrNull,
      providers: Type.Array(Text),
      features: Type.Array(Text),
    }),
    run_items: Type.Optional(Type.Array(GroupAnswer)),
    run_items_total: Type.Optional(Count),
  },
  { additionalProperties: true },
)
const Kpi = Type.Object({
  value: orNull(Type.Number()),
  prev: orNull(Type.Number({ description: 'The value of the preceding time range of equal length.' })),
  delta: orNull(Type.Number({ description: 'Percent.' })),
})
const Seconds = orNull(Type.Number({ description: 'Seconds; null without a run.' }))
export const StatisticsAnswer = Type.Object({
  ok: Type.Boolean(),
  range: Type.Object({ since: Type.Number(), until: Type.Number(), bucket: Count }),
  kpis: Type.Record(Text, Kpi),
  trend: Type.Array(
    Type.Object({ t: Count, sync: Count, webhook: Count, watcher: Count, failed: Count, rate: orNull(Type.Number()) }),
  ),
  duration_series: Type.Array(Type.Object({ t: Count, avg: Seconds, n: Count })),
  duration_percentiles: Type.Object({ p50: Seconds, p90: Seconds, p99: Seconds }),
  outcomes: Type.Array(Type.Object({ key: Text, label: Text, value: Count })),
  types: Type.Array(Type.Object({ key: Text, label: Text, value: Count })),
  routes: Type.Array(
    Type.Object({
      source: Text,
      destination: Text,
      runs: Count,
      scrobbles: Count,
      volume: Count,
      success_rate: Type.Number(),
    }),
  ),
  failure_reasons: Type.Array(
    Type.Object({
      reason: Text,
      label: Text,
      count: Count,
      prev: Count,
      share: Type.Number(),
      delta: orNull(Type.Number()),
    }),
  ),
  checks: Type.Array(
    Type.Object({ provider: Text, instance: Text, checks: Type.Array(Count), failed: Type.Array(Count) }),
    { description: 'How often each account was checked, and did not work; by the parts of the range, as `trend`.' },
  ),
})
const Presence = Type.Object({ provider: Text, instance: Text, feature: Text, present: Type.Boolean() })
const PairMatch = Type.Union([
  Type.Object({
    matched: Type.Literal(true),
    strategy: Type.String({ description: 'How the pair was found.' }),
    reversed: Type.Boolean(),
    id: Text,
    enabled: Type.Boolean(),
    mode: TextOrNull,
    source: Text,
    source_instance: Text,
    target: Text,
    target_instance: Text,
    label: Text,
    raw_pair_key: TextOrNull,
  }),
  Type.Object({ matched: Type.Literal(false), raw_pair_key: TextOrNull, label: Text }),
])
const ProviderHealth = Type.Object({
  status_available: Type.Boolean(),
  checked_at: CountOrNull,
  providers: Type.Record(
    Text,
    Type.Object({
      configured: Type.Boolean(),
      connected: Type.Boolean(),
      status: Type.String({ description: 'not_configured, unknown, ok or down' }),
      instance: Text,
      reason: Type.Optional(TextOrNull),
    }),
    { description: 'By service, or service@profile.' },
  ),
})
const Counted = Type.Object({ present: Type.Boolean(), total: Count }, { additionalProperties: true })
/** A part that could not be read is null. */
export const ContextAnswer = Type.Object({
  ok: Type.Boolean(),
  event: orNull(EventAnswer),
  related: Type.Record(Text, orNull(Type.Array(EventAnswer))),
  context: Type.Object({
    unresolved_state: orNull(Counted),
    blackbox_state: orNull(Counted),
    tombstone_state: orNull(Counted),
    pair_state: orNull(PairMatch),
    manual_block: Type.Object({ present: Type.Boolean(), count: Count }),
    provider_health: orNull(ProviderHealth),
    analyzer_findings: orNull(Type.Object({ present_in: Type.Array(Presence), count: Count })),
    item_state: orNull(Type.Object({ item_key: Text, present_somewhere: Type.Boolean() })),
  }),
})
const paged = (items: TSchema) =>
  Type.Object(
    { ok: Type.Optional(Type.Boolean()), items: Type.Array(items), total: Count, limit: Count, offset: Count },
    { additionalProperties: true },
  )
export const GroupEventsAnswer = paged(EventAnswer)
export const RunItemsAnswer = paged(GroupAnswer)
export const MarkAnswer = Type.Object({
  ok: Type.Boolean(),
  id: Count,
  acknowledged_at: CountOrNull,
  acknowledged_by: TextOrNull,
  event: Type.Optional(EventAnswer),
})
export const CorrelateAnswer = Type.Object({
  ok: Type.Boolean(),
  started: Type.Optional(Type.Boolean({ description: 'It continues in the background.' })),
  job_id: Type.Optional(Text),
  grouped: Count,
  groups_touched: Count,
})
export const ImportAnswer = Type.Object({
  ok: Type.Boolean(),
  imported: Count,
  duplicates: Count,
  skipped: Count,
  files: Count,
  groups_touched: Count,
  runs: Type.Optional(Count),
  dry_run: Type.Optional(Type.Boolean()),
  errors: Type.Array(Type.Object({ index: Count, error: Text, field: Type.Optional(Text) }), {
    description: 'At most 100.',
  }),
  errors_total: Count,
})
export const ClearAnswer = Type.Object({
  ok: Type.Boolean(),
  cleared: Type.Boolean(),
  domain: Text,
  events: Count,
  groups: Count,
  runs: Count,
})

/** A database failure is reported as such, never as an empty list. */
export async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const isItsOwn = isPlayheadError(error) && error.code !== 'PLH_NOT_READY' && error.code !== 'PLH_ABORTED'
    if (isItsOwn || !isAboutDatabase(error)) throw error
    throw new PlayheadError(
      'PLH_NOT_READY',
      'The event archive cannot be read at the moment. Check the log and try again.',
      { cause: error, wire: 'event_store_unavailable', status: 500 },
    )
  }
}

function isAboutDatabase(error: unknown): boolean {
  return isPlayheadError(error) || (error as { readonly code?: unknown } | null)?.code === 'ERR_SQLITE_ERROR'
}
