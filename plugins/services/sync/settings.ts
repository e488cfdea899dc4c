// Settings: the section `sync` and the list of pairs. By default nothing is removed.
import { defined, type Static, Type } from '@playhead/sdk'

/** The default of `SyncSettings.removal_min`. */
export const LEAST_HELD = 10

const flag = (fallback: boolean, title: string, description?: string) =>
  Type.Boolean({ default: fallback, title, ...defined({ description }) })
const ADVANCED = { advanced: true }

const SyncSection = Type.Object({
  enable_add: flag(true, 'Add items', 'Applies to pairs without their own setting.'),
  enable_remove: flag(false, 'Remove items', 'Applies to pairs without their own setting.'),
  one_way_remove_mode: Type.Union(
    [
      Type.Literal('source_deletes', { title: 'Items removed from the source' }),
      Type.Literal('mirror', { title: 'Everything that is not on the source' }),
    ],
    {
      default: 'source_deletes',
      title: 'Removals of one-way pairs',
      description: 'Applies to pairs that sync removals.',
    },
  ),
  include_observed_deletes: {
    ...flag(
      true,
      'Treat missing items as removed',
      'An item counts as removed if a complete read does not contain it.',
    ),
    ...ADVANCED,
  },
  allow_mass_delete: flag(
    false,
    'Never ask for approval',
    'Large numbers of removals and changes are not held for your approval.',
  ),
  removal_min: Type.Integer({
    default: LEAST_HELD,
    minimum: 0,
    title: 'Removals without approval',
    description:
      'Up to this many removals or changes a day, per account and feature, need no approval. In small lists, more than five removals need approval if they are a quarter of all items, unless you set a higher number.',
  }),
  removal_ratio: Type.Number({
    default: 0.1,
    minimum: 0,
    maximum: 1,
    title: 'Share of removals that needs approval',
    description: 'Beyond that number, removing a larger share of all items needs your approval. 0.1 means 10 percent.',
  }),
  verify_after_write: {
    ...flag(true, 'Verify writes', 'Reads an account again if the service did not confirm a change.'),
    ...ADVANCED,
  },
  dry_run: flag(false, 'Plan only', 'Runs create a plan and change nothing.'),
  bidirectional: Type.Object(
    {
      source_of_truth: Type.String({
        default: '',
        title: 'Preferred service',
        description:
          'Wins if both services changed an item and the times do not decide. Leave empty to use the first service of the pair.',
      }),
    },
    { default: {}, title: 'Two-way pairs', ...ADVANCED },
  ),
  blackbox: Type.Object(
    {
      enabled: flag(true, 'Put failing items on hold', 'Runs skip items that keep failing for some days.'),
      promote_after: Type.Integer({
        default: 3,
        minimum: 1,
        maximum: 100,
        title: 'Failures before an item is put on hold',
        description: 'Counts failures in a row.',
      }),
      cooldown_days: Type.Integer({
        default: 30,
        minimum: 1,
        maximum: 3650,
        title: 'Days on hold',
        description: 'Runs skip the item for this many days, then try it again.',
      }),
      block_adds: flag(true, 'Hold additions and changes', 'An item on hold is neither added nor changed.'),
      block_removes: flag(true, 'Hold removals', 'An item on hold is not removed.'),
    },
    { default: {}, title: 'Items that keep failing', ...ADVANCED },
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
    // Overrides for this pair, by provider token in lower case.
    providers: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    // The user profile that owns the pair.
    profile_id: Type.Optional(Type.String()),
    owner: Type.Optional(Type.String({ description: 'The plugin that manages the pair.' })),
  },
  { additionalProperties: true },
)

export const SyncConfig = Type.Object({ sync: SyncSection, pairs: Type.Array(PairSection, { default: [] }) })
export type SyncConfig = Static<typeof SyncConfig>
