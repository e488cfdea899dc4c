import { oneOf, orNull, Type } from '@playhead/sdk'
import { ShownItem } from '@playhead/sdk/items'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Texts = Type.Array(Text)
const { native: _, ...itemFields } = ShownItem.properties
const EditorRow = Type.Object(
  {
    ...itemFields,
    key: Text,
    position: Type.Optional(Type.Integer({ description: 'Position of an entry in a list.' })),
    _playlist_item_id: Type.Optional(orNull(Text)),
    _provider_media_id: Type.Optional(orNull(Text)),
    _position: Type.Optional(Type.Integer()),
  },
  { additionalProperties: false, title: 'EditorRow' },
)
const Items = Type.Record(Text, EditorRow, { description: 'By key, in order.' })
const Rejected = Type.Array(Type.Object({ key: Text, reason: Text }))
const Unresolved = Type.Array(Type.Object({ key: Text, op: Text, outcome: Text, reason: Text }))

const open = { additionalProperties: true }
const Endpoint = Type.Object(
  {
    id: Text,
    name: Text,
    provider: Text,
    provider_label: Text,
    instance: Text,
    playlist_id: Text,
    playlist_name: Text,
    playlist_type: Text,
    item_count: Type.Optional(orNull(Count)),
    last_synced: Type.Optional(orNull(Type.Integer({ description: 'Epoch seconds.' }))),
  },
  { ...open, title: 'EditableList' },
)

export const EndpointsAnswer = Type.Object({ ok: Type.Boolean(), endpoints: Type.Array(Endpoint) })

export const PlaylistAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    kind: Text,
    source: Text,
    endpoint: Endpoint,
    resource: Type.Object({
      provider: Text,
      instance: Text,
      id: Text,
      name: Text,
      kind: oneOf(['regular', 'smart']),
      smart: Type.Boolean(),
      can_read: Type.Boolean(),
      can_add: Type.Boolean(),
      can_remove: Type.Boolean(),
      can_reorder: Type.Boolean(),
      writable: Type.Boolean(),
      media_types: Texts,
      warnings: Texts,
      extra: Type.Object({
        endpoint_type: Text,
        item_count: orNull(Count),
        duplicates: Type.Boolean(),
        ordered: Type.Boolean(),
        read_only: orNull(Text),
        owner: orNull(Text),
        updated_at: orNull(Text),
      }),
    }),
    ts: Count,
    checkpoint: Text,
    snapshot: Type.Optional(Type.Null()),
    provider: Type.Optional(Text),
    provider_instance: Type.Optional(Text),
    count: Count,
    total: Type.Optional(Count),
    unreadable: Type.Integer({ description: 'Entries that the service shows without an identity.' }),
    items: Items,
    original_keys: Texts,
    original_ids: Type.Array(orNull(Text)),
  },
  open,
)

export const PlaylistSaveAnswer = Type.Object(
  {
    ok: Type.Boolean({ description: 'Nothing is unresolved, and nothing was rejected.' }),
    source: Text,
    endpoint_id: Text,
    planned_additions: Count,
    planned_removals: Count,
    planned_moves: Count,
    added: Count,
    removed: Count,
    reordered: Count,
    rejected: Rejected,
    unresolved: Unresolved,
    unresolved_count: Count,
    warnings: Type.Array(Type.Object({ code: Text }, open)),
    dry_run: Type.Boolean(),
    waiting: Type.Optional(Type.Boolean({ description: 'A run uses the account; saved as soon as it has ended.' })),
  },
  open,
)

export const DatasetAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    kind: Text,
    source: Text,
    snapshot: Type.Null(),
    provider: orNull(Text),
    provider_instance: orNull(Text),
    ts: orNull(Count),
    revision: Type.String({ description: 'Revision of the rows.' }),
    count: Type.Integer({ description: 'All rows of the dataset.' }),
    total: Type.Integer({ description: 'Rows that match the search.' }),
    offset: Count,
    limit: Count,
    items: Items,
    original_keys: Texts,
    manual_adds: Type.Optional(Items),
    manual_adds_total: Type.Optional(Count),
    manual_blocks: Texts,
    manual_blocks_total: Count,
    policy_revision: Type.String({ description: 'Revision of the manual rows and blocks.' }),
  },
  open,
)

export const SaveAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    kind: Text,
    source: Text,
    provider: Text,
    provider_instance: Text,
    count: Count,
    blocks: Type.Optional(Count),
    revision: Text,
    ts: orNull(Count),
    dry_run: Type.Boolean(),
    rejected: Type.Optional(Rejected),
    unresolved: Type.Optional(Unresolved),
    waiting: Type.Optional(Type.Boolean({ description: 'A run uses the tracker; saved as soon as it has ended.' })),
  },
  open,
)

const Features = Type.Object({
  watchlist: Type.Boolean(),
  history: Type.Boolean(),
  ratings: Type.Boolean(),
  progress: Type.Boolean(),
})

export const WorkspacesAnswer = Type.Object({
  ok: Type.Boolean(),
  provider_instance: Text,
  workspaces: Type.Array(
    Type.Object({ id: Text, label: Text, features: Features, rows: Type.Record(Text, Count), profile_id: Text }),
  ),
})

export const ProvidersAnswer = Type.Object({
  providers: Texts,
  features: Type.Record(Text, Features),
  instances: Type.Record(Text, Texts),
  rows: Type.Record(Text, Type.Record(Text, Type.Record(Text, Count)), {
    description: 'Number of rows by provider, profile and feature, with those that were added by hand; none: 0.',
  }),
})

export const PolicyImportAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    mode: Text,
    dry_run: Type.Boolean(),
    providers: Count,
    blocks: Count,
    adds: Count,
    changes: Type.Record(Text, Count),
    warnings: Type.Array(Type.Object({ code: Text, count: Count })),
    copy: orNull(Type.String({ description: 'The policy before the import is kept under this id.' })),
  },
  open,
)

const FeatureResult = Type.Object(
  {
    ok: Type.Boolean(),
    count: Type.Optional(Count),
    checkpoint: Type.Optional(orNull(Text)),
    elapsed_ms: Type.Optional(Count),
    would_add: Type.Optional(Count),
    would_remove: Type.Optional(Count),
    would_change: Type.Optional(Count),
    skipped: Type.Optional(Type.Boolean()),
    reason: Type.Optional(Text),
    error: Type.Optional(Text),
  },
  open,
)

const Job = Type.Object({
  job_id: Text,
  provider: Text,
  provider_instance: Text,
  mode: Text,
  dry_run: Type.Boolean(),
  state: Type.String({ description: '`running` or `done`.' }),
  started_at: Count,
  features: Type.Record(Text, FeatureResult),
  pending: Texts,
})

export const StateImportAnswer = Type.Object(
  {
    ok: Type.Boolean(),
    provider: Text,
    provider_instance: Text,
    mode: Text,
    dry_run: Type.Boolean(),
    features: Type.Record(Text, FeatureResult),
    accepted: Type.Optional(
      Type.Boolean({ description: 'It continues; see `jobs` of /api/editor/state/import/providers.' }),
    ),
    job_id: Type.Optional(Text),
  },
  open,
)

export const ImportProvidersAnswer = Type.Object({
  enabled: Type.Boolean(),
  providers: Type.Array(
    Type.Object({
      name: Text,
      label: Text,
      configured: Type.Boolean(),
      instances: Type.Array(Type.Object({ id: Text, label: Text, configured: Type.Boolean() })),
      features: Features,
    }),
  ),
  jobs: Type.Optional(Type.Array(Job)),
})
