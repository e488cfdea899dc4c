// Settings: the section `sync` and the list of pairs. By default nothing is removed.
import { type Static, Type } from '@playhead/sdk'

const flag = (fallback: boolean, title: string, description?: string) =>
  Type.Boolean({ default: fallback, title, ...(description === undefined ? {} : { description }) })

const SyncSection = Type.Object({
  enable_add: flag(true, 'Add items', 'For pairs that do not say it themselves.'),
  enable_remove: flag(false, 'Remove items', 'For pairs that do not say it themselves.'),
  one_way_remove_mode: Type.Union(
    [
      Type.Literal('source_deletes', { title: 'What was removed at the source' }),
      Type.Literal('mirror', { title: 'Also what only the target has' }),
    ],
    { default: 'source_deletes', title: 'What a one-way pair removes' },
  ),
  include_observed_deletes: flag(
    true,
    'Count an absent item as removed',
    'Take the absence of an item from a complete read as its removal.',
  ),
  allow_mass_delete: flag(false, 'Remove many without approval', 'Do not hold large numbers of removals for approval.'),
  removal_min: Type.Integer({
    default: 10,
    minimum: 0,
    title: 'Removals that are never too many',
    description: 'Up to this number nothing is held for approval, for each service and feature.',
  }),
  removal_ratio: Type.Number({
    default: 0.1,
    minimum: 0,
    maximum: 1,
    title: 'Share of items that is too many',
    description: 'Beyond that number: removals of a larger share of all items wait for your approval. 0.1 is a tenth.',
  }),
  tombstone_ttl_days: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    title: 'Remember removals (days)',
    description: 'So long a removed item is not added again.',
  }),
  verify_after_write: flag(true, 'Read again after writing', 'Where the answers of a service prove too little.'),
  dry_run: flag(false, 'Plan only', 'No run writes anything.'),
  bidirectional: Type.Object(
    {
      source_of_truth: Type.String({
        default: '',
        title: 'Service that is right',
        description: 'Where nothing else decides. Empty: the first service of the pair.',
      }),
    },
    { default: {}, title: 'Two-way pairs' },
  ),
  blackbox: Type.Object(
    {
      enabled: flag(true, 'Stop trying items that keep failing'),
      promote_after: Type.Integer({
        default: 3,
        minimum: 1,
        maximum: 100,
        title: 'Failures before it stops',
        description: 'In a row.',
      }),
      cooldown_days: Type.Integer({
        default: 30,
        minimum: 1,
        maximum: 3650,
        title: 'Try again after (days)',
        description: 'For so many days.',
      }),
      block_adds: flag(true, 'Stop adding and changing'),
      block_removes: flag(true, 'Stop removing'),
    },
    { default: {}, title: 'Items that keep failing' },
  ),
})

const FeatureSection = Type.Object(
  {
    enabled: Type.Boolean({ default: false }),
    add: Type.Boolean({ default: true }),
    remove: Type.Boolean({ default: false }),
  },
  { additionalProperties: true },
)

const PairSection = Type.Object(
  {
    id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
    name: Type.String({ default: '', maxLength: 200 }),
    source: Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' }),
    source_instance: Type.String({ default: 'default' }),
    target: Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' }),
    target_instance: Type.String({ default: 'default' }),
    mode: Type.Union([Type.Literal('one_way'), Type.Literal('two_way')], { default: 'one_way' }),
    enabled: Type.Boolean({ default: false }),
    features: Type.Record(Type.String(), FeatureSection, { default: {} }),
    providers: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    profile_id: Type.Optional(Type.String()),
    owner: Type.Optional(Type.String({ description: 'The plugin that keeps the pair.' })),
  },
  { additionalProperties: true },
)

export const SyncConfig = Type.Object({ sync: SyncSection, pairs: Type.Array(PairSection, { default: [] }) })
export type SyncConfig = Static<typeof SyncConfig>
