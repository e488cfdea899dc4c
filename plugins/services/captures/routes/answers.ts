import { orNull, Type } from '@playhead/sdk'
import { ShownItem } from '@playhead/sdk/items'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const open = { additionalProperties: true }
const Ok = Type.Boolean()

const Stats = Type.Object(
  {
    feature: Text,
    count: Count,
    by_type: Type.Optional(Type.Record(Text, Count)),
    collapsed: Type.Optional(Type.Integer({ description: 'Rows that are plays of an item that is there already.' })),
    features: Type.Optional(Type.Record(Text, Count)),
  },
  open,
)
const Child = Type.Object({ feature: Text, path: Type.Optional(Text), error: Type.Optional(Text) }, open)
const NativeIds = Type.Required(Type.Pick(ShownItem, ['native'])).properties.native
const Kept = {
  complete: Type.Optional(orNull(Type.Boolean({ description: 'Null: the older format does not say.' }))),
  doubt: Type.Optional(
    orNull(Type.String({ description: '`empty_read` or `shrunk_read`: the service may have hidden rows.' })),
  ),
  unreadable: Type.Optional(Type.Integer({ description: 'Rows that the service shows without an identity.' })),
}
const About = { provider: Text, instance: Text, feature: Text, label: Text, created_at: Text }

export const JobAnswer = Type.Object({
  ok: Ok,
  job: Type.Object({ ok: Ok, job_id: Text, progress_id: Text, stage: Text }),
  progress_id: Text,
})

export const ManifestAnswer = Type.Object({
  ok: Ok,
  providers: Type.Array(
    Type.Object({
      id: Text,
      label: Text,
      configured: Type.Boolean(),
      features: Type.Object({
        watchlist: Type.Boolean(),
        ratings: Type.Boolean(),
        history: Type.Boolean(),
        progress: Type.Boolean(),
      }),
      instances: Type.Array(Type.Object({ id: Text, label: Text, configured: Type.Boolean() })),
    }),
  ),
})

export const ReadAnswer = Type.Object({
  ok: Ok,
  snapshot: Type.Object(
    {
      kind: Text,
      path: Text,
      ...About,
      ...Kept,
      trigger: Type.Optional(Text),
      schema_version: Type.Optional(Count),
      account: Type.Optional(orNull(Type.String({ description: 'Stable id of the account, without its name.' }))),
      scope: Type.Optional(orNull(Type.Object({ plays: Type.Boolean(), libraries: Type.Array(Text) }))),
      sha256: Type.Optional(orNull(Text)),
      expected_count: Type.Optional(orNull(Count)),
      known_count: Type.Optional(orNull(Count)),
      stats: Stats,
      children: Type.Optional(Type.Array(Child)),
      rows: Type.Optional(Type.Array(Type.Object({ key: Text, native_ids: NativeIds, item: ShownItem }))),
      total: Count,
      offset: Count,
      limit: Count,
    },
    open,
  ),
})

const Made = Type.Object(
  {
    ok: Ok,
    path: Text,
    ...About,
    ...Kept,
    count: Type.Optional(Count),
    stats: Stats,
    children: Type.Optional(Type.Array(Child)),
  },
  { ...open, title: 'MadeCapture' },
)
const MADE = {
  ok: Type.Boolean({ description: 'False with `partial`: some features of the bundle could not be read.' }),
  partial: Type.Optional(Type.Boolean()),
  error: Type.Optional(Text),
  progress_id: Text,
  snapshot: Made,
}
export const CreateAnswer = Type.Object(MADE, open)
const CaptureResult = Type.Object({ ...MADE, path: Type.Optional(Text) }, { ...open, title: 'CaptureResult' })

export const CancelAnswer = Type.Object({ ok: Ok, cancelled: Type.Boolean({ description: 'False: it had ended.' }) })

const DeletedPaths = { deleted: Type.Array(Text), errors: Type.Array(Type.Object({ path: Text, error: Text })) }
export const DeleteAnswer = Type.Object({
  ok: Ok,
  result: Type.Object({ ok: Ok, dry_run: Type.Boolean(), ...DeletedPaths }),
})
const Summary = Type.Object({ removed_files: Count, removed_items: Count, freed_bytes: Count })
export const ClearAnswer = Type.Object({
  ok: Ok,
  result: Type.Object({ ok: Ok, dry_run: Type.Boolean(), ...DeletedPaths, deleted_count: Count, summary: Summary }),
  summary: Summary,
})

const Opens = Type.Array(Type.Object({ key: Text, op: Text, reason: Text }))
const Planned = Type.Object({ add: Count, update: Count, remove: Count, left_out: Type.Optional(Count) }, open)
const Restored = {
  added: Type.Optional(Count),
  removed: Type.Optional(Count),
  updated: Type.Optional(Count),
  verified: Type.Optional(Type.Boolean({ description: 'The account was read again and has what the capture has.' })),
  unresolved: Type.Optional(Opens),
  failed: Type.Optional(Opens),
  missing: Type.Optional(Type.Array(Text, { description: 'The first keys that the account still lacks.' })),
  extra: Type.Optional(Type.Array(Text, { description: 'The first keys that the account still has.' })),
}

const OfFeature = {
  plan_ids: Type.Optional(Type.Array(Text)),
  mode: Type.Optional(Text),
  current_count: Type.Optional(orNull(Count)),
  snapshot_count: Type.Optional(Count),
  planned: Type.Optional(Planned),
  left_out: Type.Optional(Type.Record(Text, Count, { description: 'By reason.' })),
}
const RestoreResult = Type.Object(
  {
    ok: Type.Boolean({ description: 'All changes were applied and verified.' }),
    ...{ provider: Text, instance: Text, feature: Text, mode: Text },
    dry_run: Type.Optional(Type.Boolean()),
    needs: Type.Optional(Type.Array(Text, { description: 'The confirmations that `confirm` must list.' })),
    planned: Planned,
    plan_ids: Type.Array(Text),
    run_id: Type.String({ description: 'Undo it with POST /api/run/{run_id}/undo.' }),
    before_path: Type.Optional(orNull(Type.String({ description: 'The capture made before.' }))),
    ...Restored,
    stats: Type.Optional(Type.Object({ count: Count })),
    children: Type.Optional(Type.Array(Type.Object({ feature: Text, ...Restored, ...OfFeature }, open))),
  },
  { ...open, title: 'RestoreResult' },
)
export const RestoreAnswer = Type.Object({ ok: Ok, progress_id: Text, result: RestoreResult })

const ClearResult = Type.Object(
  {
    ...{ ok: Ok, provider: Text, instance: Text, dry_run: Type.Boolean() },
    before_path: orNull(Type.String({ description: 'The capture made before.' })),
    results: Type.Record(
      Text,
      Type.Object(
        {
          ok: Type.Boolean({ description: 'Nothing remains.' }),
          removed: Type.Optional(Count),
          count: Type.Optional(orNull(Count)),
          remaining: Type.Optional(orNull(Count)),
          would_remove: Type.Optional(Type.Integer({ description: 'Set in a dry run.' })),
          passes: Type.Optional(Count),
          unresolved_count: Type.Optional(Count),
        },
        open,
      ),
    ),
  },
  { ...open, title: 'ClearResult' },
)
export const ToolsClearAnswer = Type.Object({ ok: Ok, progress_id: Text, result: ClearResult })

const ProgressBody = Type.Object(
  {
    id: Text,
    ok: Ok,
    done: Type.Boolean(),
    state: Type.Optional(Type.String({ description: '`queued`, `running`, `succeeded`, `failed` or `cancelled`.' })),
    operation: Type.Optional(Type.String({ description: '`capture`, `restore` or `cleanup`.' })),
    stage: Text,
    percent: Type.Integer({ minimum: 0, maximum: 100 }),
    message: Text,
    current_feature: Type.Optional(orNull(Text)),
    provider: Type.Optional(Text),
    instance: Type.Optional(Text),
    feature: Type.Optional(Text),
    feature_index: Type.Optional(Count),
    feature_total: Type.Optional(Count),
    feature_items: Type.Optional(Count),
    items_done: Type.Optional(Count),
    total_items: Type.Optional(orNull(Count)),
    bytes_written: Type.Optional(Count),
    added: Type.Optional(Count),
    removed: Type.Optional(Count),
    started_at: Type.Optional(orNull(Type.Integer({ description: 'Epoch seconds.' }))),
    updated_at: Type.Optional(orNull(Type.Integer({ description: 'Epoch seconds.' }))),
    result_path: Type.Optional(orNull(Text)),
    on_hold: Type.Optional(
      orNull(
        Type.Object(
          { reason: Text, detail: Text, since: Type.Integer({ description: 'Epoch seconds.' }) },
          { description: 'Why it has not started yet; `reason` is `busy` or `disk_low`.' },
        ),
      ),
    ),
    error: Type.Optional(Text),
    result: Type.Optional(
      Type.Union([CaptureResult, RestoreResult, ClearResult, Type.Object({ ok: Type.Literal(false) }, open)]),
    ),
  },
  { ...open, title: 'CaptureProgress' },
)
export const ProgressAnswer = Type.Object({ ok: Ok, progress: ProgressBody })

const Listed = Type.Object(
  {
    path: Text,
    size: Count,
    mtime: Type.Integer({ description: 'Epoch seconds.' }),
    stamp: Text,
    ...About,
    count: Count,
    trigger: Type.String({ description: '`manual`, `schedule`, `pre_restore` or `pre_clear`.' }),
    valid: Type.Boolean({ description: 'False: no capture, or a damaged one.' }),
    complete: orNull(Type.Boolean({ description: 'Null: the older format does not say.' })),
    doubt: orNull(Type.String({ description: '`empty_read` or `shrunk_read`: the service may have hidden rows.' })),
    unreadable: Type.Optional(orNull(Count)),
    schema_version: Type.Optional(orNull(Count)),
    stats: Type.Optional(orNull(Stats)),
    is_bundle: Type.Boolean(),
    is_child: Type.Boolean(),
    bundle_path: orNull(Text),
  },
  { ...open, title: 'Capture' },
)
export const ListAnswer = Type.Object({
  ok: Ok,
  snapshots: Type.Array(Listed),
  total: Count,
  offset: Count,
  limit: Count,
  jobs: Type.Array(ProgressBody, { description: 'The running captures, restores and clears.' }),
  days: Type.Optional(
    Type.Array(Type.Object({ day: Type.String({ description: 'YYYY-MM-DD' }), provider: Text, count: Count }), {
      description: 'With `days`: captures by day and service, of all that match.',
    }),
  ),
})

const Meta = Type.Object(
  { path: Text, ...About, count: Count, by_type: Type.Record(Text, Count) },
  { ...open, title: 'ComparedCapture' },
)
const DiffSummary = Type.Object({
  total_a: Type.Integer({ description: 'Number of items; plays of one item count once.' }),
  total_b: Count,
  raw_total_a: Type.Integer({ description: 'Rows of the file.' }),
  raw_total_b: Count,
  ...{ added: Count, removed: Count, updated: Count, unchanged: Count },
})
const Brief = Type.Object(
  {
    type: Type.Optional(Text),
    title: Type.Optional(Text),
    year: Type.Optional(orNull(Type.Integer())),
    ids: Type.Record(Text, Text),
  },
  { ...open, title: 'ItemBrief' },
)
const FieldValue = Type.Union([
  ...[Text, Type.Number(), Type.Boolean(), Type.Null(), Type.Array(Text)],
  Type.Record(Text, Text, { description: 'Ids.' }),
])
const Changes = Type.Array(
  Type.Object(
    { path: Type.String({ description: 'Field of the item, dotted.' }), old: FieldValue, new: FieldValue },
    { title: 'FieldChange' },
  ),
)
const CapturedItem = Type.Object(
  {
    ...ShownItem.properties,
    watched_ats: Type.Optional(Type.Array(Text, { description: 'The times of all plays of the item.' })),
  },
  { additionalProperties: false, title: 'CapturedItem' },
)
const whole = (description: string) => Type.Optional(Type.Unsafe<object>({ ...CapturedItem, description }))
const One = Type.Object({ key: Text, item: Brief })

export const DiffAnswer = Type.Object({
  ok: Ok,
  diff: Type.Object(
    {
      ...{ ok: Ok, a: Meta, b: Meta, summary: DiffSummary },
      added: Type.Array(One),
      removed: Type.Array(One),
      updated: Type.Array(Type.Object({ key: Text, old: Brief, new: Brief, changes: Changes }, open)),
      truncated: Type.Object({ added: Type.Boolean(), removed: Type.Boolean(), updated: Type.Boolean() }),
      limit: Count,
    },
    open,
  ),
})

export const ExtendedDiffAnswer = Type.Object({
  ok: Ok,
  diff: Type.Object(
    {
      ...{ ok: Ok, a: Meta, b: Meta, summary: DiffSummary },
      query: Type.Object({ kind: Text, q: Text, offset: Count, limit: Count }),
      total: Type.Integer({ description: 'Rows that match the query.' }),
      items: Type.Array(
        Type.Object(
          {
            ...{ key: Text, status: Text, brief: Brief, changes: Type.Optional(Changes) },
            old: whole('Of a removed or changed item.'),
            new: whole('Of an added or changed item.'),
            item: whole('Of an unchanged item.'),
          },
          open,
        ),
      ),
      available_features: Type.Array(Text),
      selected_feature: Text,
    },
    open,
  ),
})
