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
    title: 'Keep the same',
    description: 'Off: this feature is left alone on both sides.',
  }),
  add: Type.Boolean({
    default: true,
    title: 'Add and change',
    description: 'Write what the other side has and this one does not, or has differently.',
  }),
  remove: Type.Boolean({
    default: false,
    title: 'Remove',
    description:
      'Take away on one side what was taken away on the other. Only what is proven to be gone is removed, and many removals at once wait for your approval.',
  }),
}
const SHARED = {
  remove_mode: Type.Optional(
    titledChoice(
      { source_deletes: 'What was deleted at the source', mirror: 'Everything that the source does not have' },
      {
        title: 'What is removed (one-way)',
        default: 'source_deletes',
        description: 'A mirror asks for your confirmation before it removes anything for the first time.',
      },
    ),
  ),
  source_of_truth: Type.Optional(
    Type.String({
      title: 'Who wins',
      maxLength: 40,
      description: 'Id of the provider that wins where nothing else decides. Empty: the source of the pair.',
    }),
  ),
  restore_deleted: Type.Optional(
    Type.Boolean({
      default: false,
      title: 'Bring back what was deleted (two-way)',
      description: 'With removals off: what is deleted on one side comes back from the other.',
    }),
  ),
}
const PAIR = Type.Object({
  name: Type.String({
    title: 'Name',
    maxLength: 200,
    description: 'The name of the pair. Empty: the names of its two accounts.',
  }),
  mode: titledChoice(
    { one_way: 'One way: the target follows the source', two_way: 'Two ways: both sides follow each other' },
    { title: 'Direction', default: 'one_way', description: 'One way never writes to the source.' },
  ),
  enabled: Type.Boolean({
    title: 'On',
    default: true,
    description: 'Off: runs leave the pair out. What is remembered of it stays.',
  }),
})
const HELP: { readonly [feature in Feature]?: string } = {
  watchlist: 'What you want to watch.',
  history: 'What you have watched, and when.',
  ratings: 'What you gave as ratings.',
  progress: 'Where you stopped in titles that you have not finished.',
  playlists: 'Lists of titles that you made.',
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
