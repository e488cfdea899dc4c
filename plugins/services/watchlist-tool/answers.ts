import { orNull, Type } from '@playhead/sdk'

const Text = Type.String()
const Count = Type.Integer()
const Counts = Type.Record(Text, Count)
const Id = Type.Union([Text, Type.Number()])
const Ids = Type.Record(Text, Type.Union([Id, Type.Record(Text, Id)]), { description: 'By scheme.' })

const Row = Type.Object(
  {
    key: Text,
    aliases: Type.Array(Text),
    type: Text,
    title: orNull(Text),
    year: orNull(Count),
    ids: Ids,
    tmdb: orNull(Count),
    season: Type.Optional(Count),
    episode: Type.Optional(Count),
    episode_label: Type.Optional(Text),
    series_title: Type.Optional(orNull(Text)),
    status: Type.String({ description: 'both, or <provider>_only.' }),
    sources: Type.Array(Text),
    sources_by_provider: Type.Record(Text, Type.Array(Text)),
    accounts: Type.Array(
      Type.Object({ provider: Text, instance: Text, key: Text, read_at: Count, stale: Type.Boolean() }),
    ),
    added_epoch: orNull(Count),
    added_when: orNull(Text),
    added_src: orNull(Text),
    added_instance: orNull(Text),
    categories: Type.Optional(Type.Array(Text)),
  },
  { additionalProperties: true },
)

export const ListAnswer = Type.Object({
  ok: Type.Boolean(),
  items: Type.Array(Row),
  counts: Type.Object({ total: Count, by_provider: Counts, by_status: Counts, by_type: Counts }),
  last_sync_epoch: orNull(Count),
  missing_tmdb_key: Type.Boolean(),
  meta_enriched: Count,
})
const PerInstance = Type.Record(
  Text,
  Type.Object({ ok: Type.Boolean(), removed: Type.Optional(Count), error: Type.Optional(Text) }),
  { description: 'By profile.' },
)
/** For a body that the host rejects. */
export const RefusedBody = Type.Object({ ok: Type.Literal(false), error: Type.String(), detail: Type.String() })

export const SingleAnswer = Type.Object({
  ok: Type.Boolean(),
  deleted: Count,
  provider: Text,
  key: Text,
  status: Type.Unsafe<string>({ type: 'string', enum: ['ok', 'error', 'noop'] }),
  reason: Type.Optional(
    Type.String({
      description:
        'Why nothing was deleted: `not_in_state` (no account has it), `ambiguous_key` (it means several titles), or what came of the write, `held` or `failed` for example.',
    }),
  ),
  details: Type.Union([
    PerInstance,
    Type.Record(Text, Type.Object({ ok: Type.Boolean(), per_instance: PerInstance, removed: Count }), {
      description: 'With `ALL`: by provider.',
    }),
  ]),
})
export const BatchAnswer = Type.Object({
  ok: Type.Boolean(),
  partial: Type.Boolean(),
  provider: Text,
  targets: Type.Array(Text),
  deleted_ok: Count,
  deleted_total: Count,
  results: Type.Array(
    Type.Object({
      provider: Text,
      ok: Type.Boolean(),
      deleted: Count,
      per_key: Type.Array(
        Type.Object({
          key: Text,
          resolved_key: Type.Optional(Text),
          deleted: Type.Boolean(),
          attempted: Type.Boolean({ description: 'It was sent.' }),
          reason: Type.Optional(Text),
        }),
      ),
      per_instance: PerInstance,
    }),
  ),
  unresolved: Type.Array(Type.Object({ key: Text, reason: Text })),
})
