// Excludes films without an id of the required kind from additions of runs.
import { definePlugin, FILTER_PLAN, type Item, type Judgement, RUN_FINISHED, Type } from '@playhead/sdk'
import { EXCEPTION, ID_RULES, type IdRules } from './api.ts'

const Settings = Type.Object({ scheme: Type.String({ default: 'imdb', title: 'Id that a film needs' }) })

export default definePlugin({
  config: Settings,
  hooks: [EXCEPTION],
  setup(ctx) {
    const lacksId = ({ type, ids }: Item) => type === 'movie' && !(ctx.config.scheme in ids)
    const rules: IdRules = { needed: async () => [ctx.config.scheme], refuses: async (film) => lacksId(film) }
    ctx.provide(ID_RULES, rules)
    ctx.tap(FILTER_PLAN, 'films need an id', async ({ operations }) => {
      const judged: Judgement[] = []
      for (const { n, op, item } of operations) {
        if (op !== 'add' || !lacksId(item)) continue
        const exception = await ctx.callHook(EXCEPTION, { film: item, missing: ctx.config.scheme })
        if (exception === undefined) judged.push({ n, veto: `It has no ${ctx.config.scheme} id.` })
      }
      return judged
    })
    ctx.tap(RUN_FINISHED, 'last run', async (run) => void (await ctx.store.set('last', run)))
  },
  routes(app) {
    const ctx = app.playhead
    app.get('/api/id-rules', async () => ({
      last: (await ctx.store.get('last')) ?? null,
      asks: ctx.tappedBy(EXCEPTION),
    }))
  },
})
