// Settings: the section `sync` and the list of pairs. By default nothing is removed.
import { type Static, Type } from '@playhead/sdk'

const flag = (fallback: boolean, description: string) => Type.Boolean({ default: fallback, description })

const SyncSection = Type.Object({
  enable_add: flag(true, 'Whether a feature of a pair adds where it does not say.'),
  enable_remove: flag(false, 'Whether a feature of a pair removes where it does not say.'),
  one_way_remove_mode: Type.Union([Type.Literal('source_deletes'), Type.Literal('mirror')], {
    default: 'source_deletes',
    description:
      'source_deletes removes at the target what was removed at the source; mirror also removes what only the target has.',
  }),
  include_observed_deletes: flag(true, 'Take the absence of an item from a complete read as its removal.'),
  allow_mass_delete: flag(false, 'Do not hold large numbers of removals for approval.'),
  removal_min: Type.Integer({
    default: 10,
    minimum: 0,
    description: 'So many removals per side and feature are never held for their number.',
  }),
  removal_ratio: Type.Number({
    default: 0.1,
    minimum: 0,
    maximum: 1,
    description: 'Beyond the minimum: the share of the rows seen.',
  }),
  tombstone_ttl_days: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description: 'How long a removed item is not added again.',
  }),
  verify_after_write: flag(true, "Read again after writing where a provider's answers prove too little."),
  dry_run: flag(false, 'Plan only, in every run.'),
  bidirectional: Type.Object(
    {
      source_of_truth: Type.String({
        default: '',
        description: "Provider that wins where nothing else decides; empty: the pair's source.",
      }),
    },
    { default: {} },
  ),
  blackbox: Type.Object(
    {
      enabled: flag(true, 'Stop trying items that keep failing.'),
      promote_after: Type.Integer({
        default: 3,
        minimum: 1,
        maximum: 100,
        description: 'After so many failures in a row.',
      }),
      cooldown_days: Type.Integer({ default: 30, minimum: 1, maximum: 3650, description: 'For so many days.' }),
      block_adds: flag(true, 'For adds and updates.'),
      block_removes: flag(true, 'For removals.'),
    },
    { default: {} },
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
