// GET /api/sync/features: the features of a pair with their options as JSON schemas, for forms.
import {
  type Feature,
  featureCapability,
  FEATURES,
  type PluginApp,
  type PluginContext,
  titledChoice,
  Type,
} from '@playhead/sdk'
import { FeaturesAnswer } from './answers.ts'

const SWITCHES = {
  enabled: Type.Boolean({
    default: true,
    title: 'Sync this feature',
    description: 'When off, this is not changed on either account.',
  }),
  add: Type.Boolean({
    default: true,
    title: 'Add and change',
    description: 'Adds items that are missing and updates items that differ.',
  }),
  remove: Type.Boolean({
    default: false,
    title: 'Remove',
    description:
      'Removes from one account what was removed from the other. Only confirmed removals are synced. Many removals at once need your approval.',
  }),
}
const SHARED = {
  remove_mode: Type.Optional(
    titledChoice(
      { source_deletes: 'What was removed from the source', mirror: 'Everything that is not on the source' },
      {
        title: 'What to remove (one-way)',
        default: 'source_deletes',
        description: 'A mirror needs your approval before it removes anything for the first time.',
      },
    ),
  ),
  source_of_truth: Type.Optional(
    Type.String({
      title: 'If both accounts changed the same item',
      maxLength: 40,
      description: 'The service that wins if the times do not decide. Leave empty to use the source of the pair.',
    }),
  ),
  restore_deleted: Type.Optional(
    Type.Boolean({
      default: false,
      title: 'Restore removed items (two-way)',
      description: 'If removals are not synced, items removed from one account are restored from the other.',
    }),
  ),
}
const PAIR = Type.Object({
  name: Type.String({
    title: 'Name',
    maxLength: 200,
    description: 'Leave empty to use the names of the two accounts.',
  }),
  mode: titledChoice(
    {
      one_way: 'One way: the target follows the source',
      two_way: 'Both ways: changes on either account are synced to the other',
    },
    { title: 'Direction', default: 'one_way', description: 'A one-way pair writes nothing to the source.' },
  ),
  enabled: Type.Boolean({
    title: 'On',
    default: true,
    description: 'When off, runs skip the pair. Its sync state is kept.',
  }),
})
const HELP: { readonly [feature in Feature]?: string } = {
  watchlist: 'What you want to watch.',
  history: 'What you watched, and when.',
  ratings: 'Your ratings.',
  progress: 'Where you stopped in titles that you have not finished.',
  playlists: 'Your playlists and lists.',
}

export function registerFeatureRoutes(app: PluginApp, ctx: Pick<PluginContext, 'tryUse' | 'use'>): void {
  app.get(
    '/api/sync/features',
    { schema: { summary: 'The features of pairs and their options', response: { 200: FeaturesAnswer } } },
    async () => {
      const live = FEATURES.filter((feature) => ctx.tryUse(featureCapability(feature)) !== undefined)
      const features = await Promise.all(
        live.map(async (feature) => {
          const { label, options, after } = await ctx.use(featureCapability(feature)).describe()
          const own = (options['properties'] ?? {}) as Readonly<Record<string, object>>
          const properties = { ...SWITCHES, ...titled(own), ...SHARED }
          return {
            feature,
            label,
            help: HELP[feature] ?? '',
            after,
            ui_order: Object.keys(properties),
            schema: { type: 'object', title: label, properties, required: ['enabled', 'add', 'remove'] },
          }
        }),
      )
      return { ok: true, features, pair: PAIR }
    },
  )
}

/** The title of an option defaults to its name. */
function titled(properties: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const words = name.replaceAll('_', ' ')
      return [name, { title: words.charAt(0).toUpperCase() + words.slice(1), ...schema }]
    }),
  )
}
