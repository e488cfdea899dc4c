// Response schemas of the sync, for /openapi.json and generated clients.
import { OUTCOMES } from '../record/outcome.ts'
import {
  FEATURES,
  oneOf,
  orNull,
  ShownMark,
  ShownOrigin,
  SYNC_CAUSE_KINDS,
  SYNC_STATES,
  type SyncCauseKind,
  Type,
  type TSchema,
} from '@playhead/sdk'
import { ShownItem } from '@playhead/sdk/items'

const Text = Type.String()
const Count = Type.Integer()
const Ok = Type.Boolean()
const Ids = Type.Record(Text, Text, { description: 'By scheme.' })
/** Fields with one schema. */
const each = <const Name extends string, Schema extends TSchema>(schema: Schema, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>
const ACCOUNT = each(Text, 'provider', 'instance')
const AccountRef = Type.Object(ACCOUNT)

export const FeatureName = oneOf(FEATURES)
export const SideName = oneOf(['a', 'b'])
export const OpName = oneOf(['add', 'update', 'remove'])
export const UnresolvedOpName = oneOf(['add', 'update', 'remove', 'match', 'read'])
const ModeName = oneOf(['one_way', 'two_way'])
export const ResultName = oneOf(['', 'ok', 'partial', 'failed', 'cancelled', 'skipped'])
/** `partly`: items are unsynced for other reasons than that the target lacks them. */
export const OutcomeName = oneOf(OUTCOMES)
const Status = Type.Object(
  {
    state: oneOf(SYNC_STATES),
    count: Type.Integer({
      description: 'Items and decisions that need the person, without items that a library lacks; in every state.',
    }),
    text: Type.String({ description: 'The state in English: In sync, 3 need you, Cannot reach Plex.' }),
    account: orNull(AccountRef),
    causes: Type.Array(
      Type.Object({
        kind: oneOf<SyncCauseKind>(SYNC_CAUSE_KINDS),
        count: Count,
        text: Text,
        pair_id: Type.Optional(Text),
        feature: Type.Optional(FeatureName),
        ...each(Type.Optional(Text), 'provider', 'instance', 'service'),
      }),
    ),
  },
  { title: 'SyncStatus' },
)
const RunStatus = orNull(Status)
export const OverviewAnswer = Type.Object({
  ok: Ok,
  status: Status,
  pairs: Type.Array(Type.Object({ id: Text, name: Text, status: Status })),
  accounts: Type.Array(Type.Object({ ...ACCOUNT, name: Text, status: Status }), {
    description: 'The accounts of the pairs.',
  }),
  runs: Type.Array(Type.Object({ run_id: Text, status: Status }), { description: 'The newest 20 syncs.' }),
})
const NotInLibraryCount = Type.Integer({ description: 'Of the unresolved items: the target lacks the title.' })
const StatusName = oneOf(['ok', 'nothing_to_do', 'partial', 'skipped', 'failed', 'cancelled'])

const Options = Type.Object(
  {
    enabled: Type.Boolean(),
    add: Type.Boolean(),
    remove: Type.Boolean(),
    supported: Type.Optional(Type.Literal(false, { description: 'One of the accounts lacks this ability.' })),
  },
  { additionalProperties: true, title: 'PairFeature' },
)
const ENDS = { ...each(Text, 'source', 'source_instance', 'target', 'target_instance'), mode: ModeName }
const PAIR = {
  id: Text,
  name: Text,
  ...ENDS,
  enabled: Type.Boolean(),
  features: Type.Object(Object.fromEntries(FEATURES.map((name) => [name, Type.Optional(Options)])), {
    additionalProperties: true,
  }),
  providers: Type.Optional(
    Type.Record(Text, Type.Object({}, { additionalProperties: true }), {
      description: 'Options of one service in this pair; free-form, because its plugin names them.',
    }),
  ),
  profile_id: Type.Optional(Text),
  owner: Type.Optional(Type.String({ description: 'The plugin that manages the pair.' })),
}
const PairAnswer = Type.Object(PAIR, { title: 'Pair', additionalProperties: true })
export const PairList = Type.Array(PairAnswer)
export const PairSaved = Type.Object({ ok: Ok, ...PAIR, warnings: Type.Array(Text) }, { additionalProperties: true })
export const PairRemoved = Type.Object({
  ok: Ok,
  ...each(Count, 'deleted', 'state_removed', 'state_errors'),
  state_removed_preview: Type.Array(Text),
})
export const PairsReordered = Type.Object({
  ok: Ok,
  reordered: Type.Boolean(),
  count: Count,
  unknown_ids: Type.Array(Text),
  final_order: Type.Array(Text),
})

export const RunStarted = Type.Object({
  ok: Ok,
  status: oneOf(['accepted', 'skipped']),
  run_id: Type.Optional(Text),
  skipped: Type.Optional(Text),
})
export const CancelState = Type.Object({
  ok: Ok,
  running: Type.Boolean(),
  cancel_requested: Type.Boolean(),
  run_id: orNull(Text),
  requested_at: orNull(Type.Integer({ description: 'Epoch milliseconds.' })),
})
export const Cancelled = Type.Object({ ok: Ok, running: Type.Boolean(), run_id: Text, requested_at: Count })

const BySide = <Schema extends TSchema>(schema: Schema) => Type.Object({ a: schema, b: schema })
const About = Type.Array(AccountRef, { description: 'The accounts that the reason is about.' })
const COUNTS = {
  read: BySide(orNull(Count)),
  ...each(Count, 'planned', 'applied', 'already', 'held', 'deferred', 'unresolved', 'errors'),
  ...each(Count, 'added', 'updated', 'removed'),
}
const FeatureReport = Type.Object(
  {
    feature: FeatureName,
    status: StatusName,
    reason: Type.Optional(Text),
    about: Type.Optional(About),
    plan_id: orNull(Text),
    ...COUNTS,
    not_in_library: Type.Optional(Count),
  },
  { title: 'FeatureReport' },
)
const PairReports = Type.Array(
  Type.Object({ pair_id: Text, mode: ModeName, status: StatusName, features: Type.Array(FeatureReport) }),
)

const Spotlight = Type.Object(
  {
    ...each(Text, 'key', 'display_title', 'source', 'type'),
    title: Type.Optional(orNull(Text)),
    ...each(Type.Optional(orNull(Count)), 'year', 'season', 'episode'),
    ids: Type.Optional(Ids),
    ...each(Type.Optional(orNull(Text)), 'series_title', 'show_title'),
    show_ids: Type.Optional(Ids),
  },
  { additionalProperties: true, title: 'SpotlightItem' },
)
const Unresolved = Type.Object({
  ...Spotlight.properties,
  provider: Text,
  provider_instance: Text,
  feature: FeatureName,
  op: Text,
  reason: Text,
})
const OnHold = Type.Object(
  { reason: Text, detail: Text, since: Type.Integer({ description: 'Epoch seconds.' }) },
  { description: 'Why the run has not started yet; it starts automatically.' },
)
const Lane = Type.Object({
  ...each(Count, 'added', 'removed', 'updated'),
  ...each(Type.Array(Spotlight), 'spotlight_add', 'spotlight_remove', 'spotlight_update'),
})
const Step = Type.Object({ done: Count, total: Count, final: Type.Boolean() })
export const SummaryAnswer = Type.Object(
  {
    run_id: Type.Optional(Text),
    running: Type.Optional(Type.Boolean()),
    result: Type.Optional(ResultName),
    exit_code: Type.Optional(orNull(Count)),
    outcome: Type.Optional(OutcomeName),
    open: Type.Optional(Type.Integer({ description: 'Items that are not synced, as in `GET /api/runs`.' })),
    dry_run: Type.Optional(Type.Boolean()),
    source: Type.Optional(Text),
    cmd: Type.Optional(Text),
    version: Type.Optional(Type.String({ description: 'Version of the service.' })),
    plan_id: Type.Optional(orNull(Type.String({ description: 'The plan that the run was started with.' }))),
    raw_started_ts: Type.Optional(Type.Number({ description: 'Epoch seconds.' })),
    started_at: Type.Optional(Text),
    finished_at: Type.Optional(orNull(Text)),
    duration_sec: Type.Optional(orNull(Type.Number())),
    reason: Type.Optional(Text),
    on_hold: Type.Optional(OnHold),
    cancel_requested: Type.Optional(Type.Boolean()),
    cancelled: Type.Optional(Type.Boolean()),
    left_to_undo: Type.Optional(Type.Integer({ description: 'For an undo: how many items another undo may revert.' })),
    not_undone: Type.Optional(
      Type.Record(Text, Count, { description: 'For an undo: items that stay applied, by reason.' }),
    ),
    timeline: Type.Optional(Type.Record(Text, Type.Boolean())),
    unresolved_items: Type.Optional(Type.Array(Unresolved)),
    pair_scope_ids: Type.Optional(Type.Array(Text)),
    features: Type.Record(Text, Lane),
    enabled: Type.Record(Text, Type.Boolean()),
    provider_counts: Type.Record(Text, Count),
    ...each(Type.Optional(Type.Record(Text, Count)), 'provider_counts_pre', 'provider_counts_post'),
    ...each(Type.Optional(Count), 'added_last', 'removed_last', 'updated_last', 'skipped', 'unresolved'),
    ...each(Type.Optional(Count), 'not_in_library', 'errors', 'blocked', 'held', 'deferred'),
    _phase: Type.Optional(Type.Object({ snapshot: Step, apply: Step })),
    pairs: Type.Optional(PairReports),
  },
  { additionalProperties: true, description: 'Before the first run only features, enabled and provider_counts.' },
)

const ORIGIN = {
  origin: orNull(ShownOrigin),
  origin_label: orNull(Type.String({ description: 'The origin as English sentences, with days in UTC.' })),
  origin_carrier: orNull(
    Type.Object(ACCOUNT, {
      description:
        'The account that shows, or lacks, what Playhead wrote because of it. Null: the act itself was found.',
    }),
  ),
}

export const UnresolvedAnswer = Type.Object({
  total: Type.Integer({ description: 'Number of rows on all pages.' }),
  items: Type.Array(
    Type.Object({
      ...each(Text, 'line', 'title', 'code', 'type', 'reason', 'reason_code'),
      feature: FeatureName,
      ...each(Text, 'key', 'provider', 'provider_instance', 'pair_id', 'op'),
      ...each(Count, 'first_at', 'last_at', 'attempts'),
      quarantined: Type.Boolean(),
      run_id: Text,
      ...ORIGIN,
    }),
  ),
})

export const UnresolvedCleared = Type.Object({ ok: Ok, cleared: Count })

const PlanSide = Type.Object(
  {
    ...ACCOUNT,
    uid: Type.Optional(Type.String({ description: 'Stable id of the account, without its name.' })),
    account: Type.Optional(Type.String({ description: 'Which account of the service was read, in plans of pairs.' })),
    ...each(Count, 'add', 'update', 'remove', 'held'),
    held_reason: orNull(Text),
    deferred: Count,
    filtered: Count,
  },
  { additionalProperties: true },
)
export const PlanStateName = oneOf(['planned', 'waiting', 'applying', 'done'])
const PlanSides = BySide(PlanSide)
const PLAN = {
  plan_id: Text,
  basis: Type.Optional(
    Type.Object(
      { account: Text, read_at_ms: Type.Integer({ description: 'Epoch milliseconds.' }) },
      { description: 'For changes to one account: the read that the plan is based on.' },
    ),
  ),
  run_id: Text,
  pair_id: Text,
  feature: FeatureName,
  mode: ModeName,
  plays: Type.Boolean(),
  dry_run: Type.Boolean(),
  created_at: Type.String({ description: 'ISO 8601.' }),
  state: PlanStateName,
  sides: PlanSides,
  read: BySide(Count),
  cause: orNull(Type.String({ description: 'For changes to one account (pair_id is empty): the requester.' })),
  cause_label: orNull(Text),
  maker_only: Type.Optional(
    Type.Boolean({ description: 'Only its creator applies it, such as a restore; it cannot be run.' }),
  ),
  list: Type.Optional(
    Type.Object(
      { list: Type.Object({ id: Text, kind: Text, title: Text }, { additionalProperties: true }) },
      { additionalProperties: true, description: 'The list that the changes are about.' },
    ),
  ),
}
const ITEM = {
  n: Count,
  side: SideName,
  op: OpName,
  key: Text,
  value: Text,
  before: orNull(Text),
  cause: Text,
  cause_label: Text,
  reason: orNull(Text),
  reason_label: orNull(Text),
  note: orNull(
    Type.String({ description: 'Why a plugin skipped, deferred or changed it; starts with the id of the plugin.' }),
  ),
  display_title: Text,
  type: Text,
  year: orNull(Count),
  ...ORIGIN,
}
const Facet = Type.Object({ side: SideName, op: OpName, state: Text, cause: Text, cause_label: Text, count: Count })
const PlannedItem = Type.Object(
  {
    ...ShownItem.properties,
    position: Type.Optional(Type.Integer({ description: 'Position of an entry in a list.' })),
  },
  { additionalProperties: true, title: 'PlannedItem' },
)
export const PlanAnswer = Type.Object({
  ok: Ok,
  ...PLAN,
  total: Count,
  items: Type.Array(Type.Object({ ...ITEM, state: Text, item: Type.Optional(PlannedItem) }, { title: 'PlanItem' })),
  facets: Type.Object({ causes: Type.Array(Facet) }, { description: 'Counts over the whole plan.' }),
})
const PAGE = { ok: Ok, total: Count, offset: Count, limit: Count }
export const PlanList = Type.Object({ ...PAGE, plans: Type.Array(Type.Object(PLAN)) })

const ByReason = Type.Object({ reason: Text, reason_label: Text, count: Count })
const RunBrief = Type.Object({
  run_id: Text,
  running: Type.Boolean(),
  result: ResultName,
  dry_run: Type.Boolean(),
  source: Text,
  started_at: orNull(Type.String({ description: 'ISO 8601.' })),
  finished_at: orNull(Text),
  duration_sec: orNull(Type.Number()),
  ...each(Count, 'added', 'removed', 'updated', 'skipped', 'unresolved'),
  not_in_library: NotInLibraryCount,
  errors: Count,
  held: Count,
  open: Type.Integer({
    description: 'Items that are not synced: unresolved and held ones, without those the target lacks.',
  }),
  outcome: orNull(OutcomeName),
  /** Null for runs that sync nothing: dry runs, an undo, restores, clears. */
  sync_status: RunStatus,
  reason: orNull(Text),
  pair_ids: Type.Array(Text),
  plan_id: orNull(Type.String({ description: 'The plan that the run was started with.' })),
  not_undone: Type.Array(ByReason, { description: 'For an undo: items that stay applied, by reason.' }),
  left_to_undo: Type.Integer({ description: 'How many of these another undo may revert.' }),
  undone: orNull(
    Type.Union([Type.Literal('all'), Type.Literal('partly')], {
      description: 'An undo of it ended; partly: another undo may revert more.',
    }),
  ),
  undone_run_id: orNull(Type.String({ description: 'For an undo: the run that it undid.' })),
  accounts: Type.Array(AccountRef, { description: 'For a run without pairs: the accounts that it changed.' }),
})
const ReasonText = orNull(Type.String({ description: 'The reason in a sentence, with the names of the services.' }))
const WHY = { reason: orNull(Text), reason_label: orNull(Text), reason_text: ReasonText, about: About }
const Done = Type.Object(each(Count, 'added', 'updated', 'removed', 'held'), {
  description: 'Counts of applied and held operations.',
})
export const RunList = Type.Object({ ...PAGE, runs: Type.Array(RunBrief) })
export const RunDetail = Type.Object({
  ok: Ok,
  run: Type.Object({ ...RunBrief.properties, reason_text: ReasonText }),
  pairs: Type.Array(
    Type.Object({
      pair_id: Text,
      pair_name: orNull(Text),
      account: orNull(AccountRef),
      mode: ModeName,
      status: StatusName,
      outcome: OutcomeName,
      sync_status: RunStatus,
      features: Type.Array(
        Type.Object({
          feature: FeatureName,
          status: StatusName,
          outcome: OutcomeName,
          sync_status: RunStatus,
          ...WHY,
          plan_id: orNull(Text),
          ...COUNTS,
          not_in_library: NotInLibraryCount,
          sides: orNull(PlanSides),
          done: orNull(BySide(Done)),
        }),
      ),
    }),
  ),
  undoable: Type.Boolean({ description: 'A part of it was sent and is recorded.' }),
})
export const RunItems = Type.Object({
  ...PAGE,
  items: Type.Array(
    Type.Object({
      plan_id: Text,
      pair_id: Text,
      feature: FeatureName,
      ...ITEM,
      outcome: Text,
      sent_at: orNull(Count),
      done_at: orNull(Count),
      undone: Type.Boolean(),
    }),
  ),
})

export const UndoAnswer = Type.Object(
  {
    ok: Ok,
    dry_run: Type.Boolean(),
    run_id: Type.Optional(Text),
    reversible: Type.Optional(Count),
    by_op: Type.Optional(Type.Object({ add: Count, update: Count, remove: Count })),
    titles: Type.Optional(Type.Array(Text, { description: 'The first of them.' })),
    irreversible: Type.Optional(
      Type.Array(Type.Object({ reason: Text }, { additionalProperties: true }), { description: 'At most 1,000.' }),
    ),
    irreversible_by_reason: Type.Optional(Type.Array(ByReason, { description: 'How many in all.' })),
    status: Type.Optional(Text),
  },
  { additionalProperties: true },
)

export const HeldAnswer = Type.Object({
  ok: Ok,
  total: Type.Integer({ description: 'Removals that wait, in all.' }),
  held: Type.Array(
    Type.Object({
      pair_id: Text,
      pair_name: Text,
      feature: FeatureName,
      side: SideName,
      ...ACCOUNT,
      count: Count,
      reason: Text,
      reason_label: Text,
      plan_id: orNull(Text),
      run_id: Text,
      since: Type.Integer({ description: 'Epoch seconds.' }),
      approve: Type.Object({
        method: Text,
        path: Text,
        body: Type.Object({
          pair_id: Text,
          allow_mass_delete: Type.Boolean(),
          features: Type.Array(FeatureName),
          source: Text,
        }),
      }),
    }),
  ),
})

export const PairStatusAnswer = Type.Object({
  ok: Ok,
  /** Of all pairs, as in `GET /api/overview`. */
  sync_status: Status,
  pairs: Type.Array(
    Type.Object({
      id: Text,
      name: Text,
      enabled: Type.Boolean(),
      outcome: orNull(OutcomeName),
      running: Type.Boolean(),
      sync_status: Status,
      ...ENDS,
      features: Type.Array(
        Type.Object({
          feature: FeatureName,
          status: orNull(StatusName),
          sync_status: Status,
          ...WHY,
          run_id: orNull(Text),
          finished_at: orNull(Count),
          read: BySide(orNull(Count)),
          ...each(Count, 'applied', 'held', 'unresolved'),
          open: Type.Integer({
            description: 'Items that are not synced now: unresolved and held ones, without those the target lacks.',
          }),
          not_in_library: Type.Integer({ description: 'Items that the target lacks, without ignored ones.' }),
          ignored: Type.Integer({ description: 'Items that the target lacks and that people ignore.' }),
          outcome: orNull(OutcomeName),
          in_step: orNull(Type.Boolean({ description: 'The last real run ended well and nothing is open.' })),
        }),
      ),
      last_run_id: orNull(Text),
      last_finished_at: orNull(Count),
    }),
  ),
})

export const FeaturesAnswer = Type.Object({
  ok: Ok,
  features: Type.Array(
    Type.Object({
      feature: FeatureName,
      label: Text,
      help: Text,
      after: Type.Array(FeatureName),
      ui_order: Type.Array(Text),
      schema: Type.Object({}, { additionalProperties: true, description: 'JSON schema of the options in a pair.' }),
    }),
  ),
  pair: Type.Object({}, { additionalProperties: true, description: 'JSON schema of the fields of a pair itself.' }),
})

const Operations = Type.Object({
  ...each(Type.Boolean(), 'read', 'add', 'update', 'remove'),
  removal_side_effects: Type.Optional(Type.Array(Text)),
})
export const ProvidersAnswer = Type.Array(
  Type.Object({
    name: Text,
    label: Text,
    mark: orNull(ShownMark),
    popular: orNull(
      Type.Integer({ description: 'Its place among the services that most people begin with, from 1. Null: none.' }),
    ),
    group: Text,
    terms: Type.Object(
      {
        pairs: orNull(Type.String({ description: 'A note about pairs with other trackers and list services.' })),
        captures: orNull(
          Type.String({ description: 'Why captures of the schedule are off until they are switched on.' }),
        ),
      },
      { description: 'Notes on the terms of the service.' },
    ),
    list_service: Type.Boolean({ description: 'A tracker or list service of others.' }),
    version: Text,
    vendor: orNull(Text),
    description: orNull(Text),
    features: Type.Record(Text, Type.Boolean()),
    can_source: Type.Boolean(),
    can_target: Type.Boolean(),
    types: Type.Record(Text, Type.Array(Text)),
    operations: Type.Record(Text, Operations),
    capabilities: Type.Object(
      {
        bidirectional: Type.Boolean(),
        dropped_shows: Type.Boolean({
          description: 'The service reports dropped shows, so that a pair can leave them out of its history.',
        }),
      },
      { additionalProperties: true },
    ),
    configured: Type.Boolean(),
    instances: Type.Array(Type.Object({ id: Text, label: Text, configured: Type.Boolean() })),
  }),
)
export const CountsAnswer = Type.Object({
  ok: Ok,
  counts: Type.Record(Text, orNull(Count)),
  age: orNull(Count),
  errors: Type.Record(Text, Text),
  source: Text,
  by_feature: Type.Record(Text, Type.Record(Text, orNull(Count))),
  by_instance: Type.Record(Text, orNull(Count)),
})

export const NotInLibraryAnswer = Type.Object({
  ...PAGE,
  all_ignored: Type.Boolean({ description: 'All titles of the pair are ignored, including later ones.' }),
  items: Type.Array(
    Type.Object({
      feature: FeatureName,
      ...each(Text, 'provider', 'instance', 'key', 'title'),
      year: orNull(Count),
      type: Text,
      reason_code: Text,
      since: Count,
      ignored: Type.Boolean(),
    }),
  ),
})
