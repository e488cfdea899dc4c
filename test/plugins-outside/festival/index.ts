// Allows films of the festival without the id that "Id rules" requires.
import { definePlugin, Type } from '@playhead/sdk'
import { EXCEPTION, ID_RULES } from 'playhead-plugin-id-rules'

export default definePlugin({
  config: Type.Object({ titles: Type.Array(Type.String(), { default: [] }) }),
  setup(ctx) {
    ctx.tap(EXCEPTION, 'festival', ({ film }) =>
      ctx.config.titles.includes(film.title ?? '') ? { because: 'It runs at the festival.' } : undefined,
    )
  },
  routes(app) {
    const ctx = app.playhead
    app.get('/api/festival', async () => {
      const rules = ctx.tryUse(ID_RULES)
      return {
        needed: await rules?.needed(),
        refused: await rules?.refuses({ type: 'movie', title: 'Short', ids: {} }),
      }
    })
  },
})
