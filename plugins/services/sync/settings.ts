// Settings: the section `sync` and the list of pairs. By default nothing is removed.
import { defined, type Static, Type } from '@playhead/sdk'

/** The default of `SyncSettings.removal_min`. */
export const LEAST_HELD = 10

const flag = (fallback: boolean, title: string, description?: string) =>
  Type.Boolean({ default: fallback, title, ...defined({ description }) })
const ADVANCED = { advanced: true }

const SyncSection = Type.Object({
  enable_add: flag(true, 'Add items', 'The default for pairs without their own setting.'),
  enable_remove: flag(false, 'Remove items', 'The default for pairs without their own setting.'),
  one_way_remove_mode: Type.Union(
    [
      Type.Literal('source_deletes', { title: 'Items that were removed at the source' }),
      Type.Literal('mirror', { title: 'Also items that only the target has' }),
    ],
    { default: 'source_deletes', title: 'What a one-way pair removes' },
  ),
  include_observed_deletes: {
    ...flag(true, 'Count an absent item as removed', 'An item that is missing from a complete read counts as removed.'),
    ...ADVANCED,
  },
  allow_mass_delete: flag(
    false,
    'Remove many without approval',
    'Do not hold large numbers of removals and updates for approval.',
  ),
  removal_min: Type.Integer({
    default: LEAST_HELD,
    minimum: 0,
    title: 'Removals without approval',
    description:
      'Up to this many removals, and updates, per account, feature and day never wait for approval. With few items, more than five removals wait if they are a quarter of all or more, unless you set a higher number.',
  }),
  removal_ratio: Type.Number({
    default: 0.1,
    minimum: 0,
    maximum: 1,
    title: 'Share of items that needs approval',
    description: 'Above that number, removals of a larger share of all items wait for your approval. 0.1 is a tenth.',
  }),
  verify_after_write: {
    ...flag(true, 'Read again after writing', 'Where the responses of a service do not confirm a write.'),
    ...ADVANCED,
  },
  dry_run: flag(false, 'Plan only', 'Runs show their plan and write nothing.'),
  bidirectional: Type.Object(
    {
      source_of_truth: Type.String({
        default: '',
        title: 'Service that takes precedence',
        description: 'Used if nothing else decides. Empty: the first service of the pair.',
      }),
    },
    { default: {}, title: 'Two-way pairs', ...ADVANCED },
  ),
  blackbox: Type.Object(
    {
      enabled: flag(true, 'Stop trying items that keep failing'),
      promote_after: Type.Integer({
        default: 3,
        minimum: 1,
        maximum: 100,
        title: 'Failures before stopping',
        description: 'In a row.',
      }),
      cooldown_days: Type.Integer({
        default: 30,
        minimum: 1,
        maximum: 3650,
        title: 'Try again after (days)',
        description: 'A failing item is skipped for this many days.',
      }),
      block_adds: flag(true, 'Stop adding and changing'),
      block_removes: flag(true, 'Stop removing'),
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
